import { referenceOf } from '../../../src/domain/identity.ts';
import { FaultPlan, faultPlanRequest } from '../../../src/sandbox/faults/faults.ts';
import { seedOfLife } from './bank-proxy.ts';
import { nthDisturbance } from './disturb.ts';
import { shortChaos } from './options.ts';
import { rowsOf } from './rows.ts';
import { ANSWER_LOST } from './run-chaos.ts';

/** Disturbances that come however soon everything is settled. */
const CERTAIN = 3;
const LOST_MIN = 2;

/** The first seed from this one on whose short run is sure to lose answers and to kill the bank. */
export function reportingSeed(from: number): number {
  for (let seed = from; ; seed += 1) if (losesAnswers(seed) && killsTheBank(seed)) return seed;
}

/** Of the first POSTs of the payments, before the bank is killed for the first time. */
function losesAnswers(seed: number): boolean {
  const { rate, kinds, payouts } = shortChaos(seed);
  const plan = new FaultPlan(faultPlanRequest.parse({ seed: seedOfLife(seed, 1), rate, kinds: [...kinds] }));
  const faults = rowsOf(payouts).map(({ uid, id }) =>
    plan.faultFor({ operation: 'transactions.payment', read: false, subject: referenceOf(uid, id) }),
  );
  return faults.filter((fault) => fault !== undefined && ANSWER_LOST.includes(fault.name)).length >= LOST_MIN;
}

function killsTheBank(seed: number): boolean {
  return Array.from({ length: CERTAIN }, (_, n) => nthDisturbance(shortChaos(seed), n + 1)).some(
    ({ target, what }) => target === 'sandbox' && what === 'kill',
  );
}
