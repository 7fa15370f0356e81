import { isAtRest, type PayoutState } from '../../domain/payout-state.ts';
import type { JudgedStage } from './status-report.ts';

/**
 * The stage of a batch, by the states of its payouts; refused rows need not be counted. A batch with payouts for a later day
 * stays at `validated` until the last order is sent.
 */
export function stageOf(byState: ReadonlyMap<PayoutState, number>): JudgedStage {
  const present = [...byState].filter(([, rows]) => rows > 0).map(([state]) => state);
  if (present.every(isAtRest)) return 'final';
  return present.every((state) => isAtRest(state) || isSent(state)) ? 'sent' : 'validated';
}

function isSent(state: PayoutState): boolean {
  return state === 'processing' || state === 'awaiting-bank-approval' || state === 'resolving';
}
