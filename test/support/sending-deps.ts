import type { Bank } from '../../src/api/bank.ts';
import type { ReferenceDedupe } from '../../src/domain/policy.ts';
import type { ActivityDeps } from '../../src/services/deps.ts';
import { UNMEASURED_CLOCK } from './unmeasured-clock.ts';

/** What of the settings a sender goes by. */
interface SenderSettings {
  policy: ActivityDeps['settings']['policy'];
  referenceDedupe: ReferenceDedupe;
  transferAcrossUsers?: boolean;
}

/** The store, with every list of the bank just looked at. */
export const lookedAt = (store: ActivityDeps['store'], now = Date.now): ActivityDeps['store'] => ({
  ...store,
  looksAt: async (keys) => {
    const beganAt = now();
    return keys.map((key) => ({ ...key, beganAt, reachesFrom: 0, resumption: beganAt }));
  },
});

/** What an order is sent with, at a bank of which only these transactions are asked; what is given replaces the rest. */
export const sendingDeps = (
  transactions: object,
  { policy, referenceDedupe, transferAcrossUsers = false }: SenderSettings,
  given: Pick<ActivityDeps, 'store'> & Partial<Omit<ActivityDeps, 'settings'>>,
): ActivityDeps => ({
  bank: { clock: UNMEASURED_CLOCK, transactions } as unknown as Bank,
  now: Date.now,
  assertIdentity: async () => {},
  lookAtList: async () => {
    throw new Error('no list is looked at here');
  },
  executions: { wakeWatch: async () => {} } as unknown as ActivityDeps['executions'],
  checkInstruction: () => [],
  ...given,
  store: lookedAt(given.store, given.now),
  settings: {
    ...{ clockSkewMs: 0, policy, transferAcrossUsers },
    ...{ sweepMaxMs: 500, sweepWindowMs: 86_400_000 },
    terms: { auditTtlMs: 60_000, referenceDedupe, waits: { listLagMs: 0 } },
  } as ActivityDeps['settings'],
});
