import { isAtRest, type PayoutState } from '../../domain/payout-state.ts';
import type { JudgedStage } from './status-report.ts';

/**
 * The stage a batch stands at, from how many of its payouts are in each state; refused rows need not be counted. A batch
 * with payouts for a later day stays at `validated` until the last order is out.
 */
export function stageOf(byState: ReadonlyMap<PayoutState, number>): JudgedStage {
  const present = [...byState].filter(([, rows]) => rows > 0).map(([state]) => state);
  if (present.every(isAtRest)) return 'final';
  return present.every((state) => isAtRest(state) || isSent(state)) ? 'sent' : 'validated';
}

function isSent(state: PayoutState): boolean {
  return state === 'processing' || state === 'awaiting-bank-approval' || state === 'resolving';
}
