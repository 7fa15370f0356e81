import { type Claim, Superseded } from '../domain/claim.ts';
import type { EndState, PayoutState, Reason } from '../domain/payout-state.ts';
import type { LegKind } from '../domain/sent-order.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { legReferences } from '../services/sending/claimed-row.ts';
import type { Settled } from '../store/store.ts';
import { rowOf } from './caller.ts';

export interface RecordStateInput {
  claim: Claim;
  state: Exclude<PayoutState, EndState>;
  reason: Reason | null;
  orderId?: string;
  /** What a payout that waits for money needs, decimal. */
  fundsNeeded?: string;
}

/** What a run has settled of what it sent: attempts up to a number, and how. Absent: nothing. */
export type SettledLegs = Partial<Record<LegKind, { upTo: number; as: Settled }>>;

export interface CloseInput {
  claim: Claim;
  state: Exclude<EndState, 'completed'>;
  reason: Reason;
  fee?: string;
  feeCurrency?: string;
  settled: SettledLegs;
}

export const recordActivities = (deps: ActivityDeps) => ({
  /** Where the payout stands, for reports and lists. */
  async recordState({ claim, ...change }: RecordStateInput): Promise<void> {
    const { reference, term } = claim;
    await rowOf(deps, claim);
    if (!(await deps.store.changePayout(reference, { ...change, term, at: deps.now() }))) throw new Superseded();
    if (change.orderId !== undefined) await deps.store.noteOrder(reference, { orderId: change.orderId });
  },

  /** An end without money, unless something was sent that this run has not settled: then it is superseded by that. */
  closePayout: (input: CloseInput): Promise<void> => closePayout(deps, input),
});

/** See the activity. What is in the open set leaves it. */
export async function closePayout(deps: ActivityDeps, { claim, settled, ...end }: CloseInput): Promise<void> {
  const row = await rowOf(deps, claim);
  const legs = Object.entries(legReferences(row));
  const references = legs.map(([, reference]) => reference);
  const closing = await deps.store.closeUnpaid({
    ...end,
    ...claim,
    settled: Object.fromEntries(
      legs.flatMap(([leg, reference]) => {
        const known = settled[leg as LegKind];
        return known === undefined ? [] : [[reference, known]];
      }),
    ),
    references,
    at: deps.now(),
  });
  if (closing === 'superseded') throw new Superseded();
  if (closing === 'in-doubt') throw new Superseded('something was sent that this run has not settled');
  for (const reference of references) await deps.store.closeOrder(reference);
}
