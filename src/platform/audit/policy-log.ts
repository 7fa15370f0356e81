import type { Policy } from '../../domain/authority.ts';
import type { Log } from '../../domain/settings.ts';
import type { Store } from '../../store/store.ts';
import { ConfigError } from '../config/key.ts';
import type { Config } from '../config.ts';

/**
 * Without its policy a store would pay on anybody's word what it has paid by signatures: a setting that got lost is no decision.
 */
export async function assertPolicyKept({ policyFile }: Config, store: Store): Promise<void> {
  if (policyFile !== undefined || (await store.policyInForce()) === 'none') return;
  throw new ConfigError(
    'PAYOUTS_POLICY',
    'is not set, and this store has been used under a policy',
    'Set it again. To try something without a policy, use another PAYOUTS_HOME.',
  );
}

/**
 * Logs and audits which policy a process applies: at its start, and whenever the file changes. An unusable file is logged as an
 * error, and the previous policy stays in force. `who`: the part of the product that reports this.
 */
export async function keepPolicyLog(
  { policyFile }: Config,
  { store, log, who }: { store: Store; log: Log; who: string },
): Promise<void> {
  const inForce = (policy: Policy | undefined): Promise<boolean> =>
    store.recordPolicy({ hash: policy?.hash ?? 'none', text: policy?.text, by: who, at: Date.now() });
  const refuse = async (why: string, { hash }: Policy): Promise<void> => {
    log.error({ why }, 'the changed policy file cannot be used: the previous policy stays in force');
    const detail = { why, inForce: hash };
    await store.audit({ at: Date.now(), actor: who, action: 'policy refused', subject: 'policy', detail });
  };
  policyFile?.onNews((news) => {
    const recorded = news.kind === 'in-force' ? inForce(news.policy) : refuse(news.why, news.inForce);
    recorded.catch((error: unknown) =>
      log.error({ error }, 'a change of the policy could not be written to the audit log'),
    );
  });
  if (await inForce(policyFile?.current())) log.warn('a new policy is in force');
}
