import { type Claim, Superseded } from '../../domain/claim.ts';
import { doubtInWords } from '../../domain/list-doubt.ts';
import { type LegKind, mainLegOf } from '../../domain/names.ts';
import type { EndState, PayoutState, Reason, UnpaidState } from '../../domain/payout-state.ts';
import type { Caller } from '../../store/claimed-row.ts';
import { claimedRow, legReferences } from '../../store/claimed-row.ts';
import type { PayoutRecord, Settled } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { askBank, unsentByRow } from '../sending/ask-first.ts';

export interface RecordStateInput {
  claim: Claim;
  state: Exclude<PayoutState, EndState>;
  reason: Reason | null;
  orderId?: string;
  /** What a payout that awaits funds needs, decimal string. */
  fundsNeeded?: string;
}

/** By leg: attempts up to this number are settled, and as what. Absent: none. */
export type SettledLegs = Partial<Record<LegKind, { upTo: number; as: Settled }>>;

export interface CloseInput {
  claim: Claim;
  state: UnpaidState;
  reason: Reason;
  settled: SettledLegs;
  /** Who rejected or cancelled it; absent: nobody. */
  by?: string;
}

/** Stores the state of the payout, for reports and lists. */
export async function recordState(
  { store, now }: ActivityDeps,
  { runId }: Caller,
  { claim, fundsNeeded, ...change }: RecordStateInput,
): Promise<void> {
  const { reference, term } = claim;
  await claimedRow(store, claim, runId);
  // Null replaces an earlier sum: a later shortage may be of another account and of an unknown sum.
  const funds = change.state === 'awaiting-funds' ? { fundsNeeded: fundsNeeded ?? null } : {};
  if (!(await store.changePayout(reference, { ...change, ...funds, term, at: now() }))) throw new Superseded();
  if (change.orderId !== undefined) await store.noteOrder(reference, { orderId: change.orderId });
}

/**
 * Stores an end without money. Throws `Superseded` if something was sent that this run has not settled, or if a list has shown an
 * order that this store does not know of: the run then claims the payout again, and looks for it. Open orders leave the open set.
 */
export async function closePayout(
  deps: ActivityDeps,
  { runId }: Caller,
  { claim, settled, ...end }: CloseInput,
): Promise<void> {
  const row = await claimedRow(deps.store, claim, runId);
  const legs = Object.entries(legReferences(row));
  const references = legs.map(([, reference]) => reference);
  // What people have found out about the money stands against what the bank shows.
  const isSaid = end.reason.code === 'closed-by-operator';
  if (!isSaid) await assertLooked(deps, row);
  if (!isSaid && (await unsentByRow(deps, row, references)).length > 0) {
    throw new Superseded('the bank shows an order that this store did not send');
  }
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
}

/**
 * A store that was restored, or went back in time, may have forgotten what was sent for a row from before: the bank's lists say so
 * before the row ends as unpaid. Throws, to be tried again, while they cannot be believed.
 */
async function assertLooked(deps: ActivityDeps, row: PayoutRecord): Promise<void> {
  const restored = await deps.store.restored();
  if (restored === undefined || row.createdAt > restored.at) return;
  const { uid, kind, instruction, assessed } = row;
  const currencies = [
    instruction.currency,
    ...(assessed?.exchange === undefined ? [] : [assessed.exchange.sellCurrency]),
  ];
  const { doubt } = await askBank(
    deps,
    row,
    mainLegOf(kind),
    currencies.map((currency) => ({ uid, currency })),
  );
  if (doubt !== undefined) throw new Error(doubtInWords(doubt));
}
