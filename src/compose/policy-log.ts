import type { Config } from '../config.ts';
import type { Policy } from '../domain/authority.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';

/**
 * Says in log and audit which policy a process goes by: at its start, and whenever the file has changed. `who`: the part that says
 * so. A file that cannot be used is said loudly: the policy before stays in force.
 */
export async function keepPolicyLog(
  { policyFile }: Pick<Config, 'policyFile'>,
  { store, log, who }: { store: Store; log: Log; who: string },
): Promise<void> {
  const inForce = (policy: Policy | undefined): Promise<boolean> =>
    store.recordPolicy({ hash: policy?.hash ?? 'none', by: who, at: Date.now() });
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
