import { needsAttention } from '../../domain/payout-state.ts';
import { scopeFactsOfRow } from '../../services/decisions/verdict.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { Caller } from '../callers.ts';
import { mayCancel, mayDecide, mayOperate } from './may-do.ts';

/** Things that a page can have a button for. */
export type Offer = 'decide' | 'cancel' | 'resolve' | 'acknowledge';

/** The buttons that this caller finds on the pages of these rows. */
export const offersIn = (caller: Caller, rows: readonly PayoutRecord[]): Set<Offer> => {
  const offers: Record<Offer, (row: PayoutRecord) => boolean> = {
    decide: (row) => needsAttention(row.state, row.reason) && mayDecide(caller, row),
    resolve: (row) => mayOperate(caller, 'resolve', scopeFactsOfRow(row)),
    cancel: (row) => mayCancel(caller, row),
    acknowledge: () => false,
  };
  return new Set((Object.keys(offers) as Offer[]).filter((offer) => rows.some(offers[offer])));
};
