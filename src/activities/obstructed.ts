import type { Assessment, Obstacle } from '../domain/gates.ts';
import { payloadDigest } from '../domain/identity.ts';
import type { PayoutRecord } from '../store/store.ts';

/** The assessment of a row that met an obstacle: it names no payee and no account, so nothing can be sent from it. */
export const obstructed = (
  { kind, instruction }: Pick<PayoutRecord, 'kind' | 'instruction'>,
  obstacle: Obstacle,
): Assessment => ({
  ...(kind === 'payout' && { beneficiary: { known: false } }),
  digest: payloadDigest(instruction),
  approvalsNeeded: 0,
  obstacle,
});
