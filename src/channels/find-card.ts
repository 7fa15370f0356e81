import { holdsCardNumber } from '../domain/card-number.ts';
import { cardWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import type { CardRecord } from '../store/card-store.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './http/callers.ts';
import { maySeeCard } from './http/may-see.ts';

/**
 * The card payment with this merchant_request_id, payment id or workflow id. Throws a `Problem` if there is none, or the caller may
 * not see it.
 */
export async function visibleCard(
  { store, caller }: { store: Pick<Store, 'cards'>; caller: Caller },
  id: string,
): Promise<CardRecord> {
  const record = await store.cards.find(requestIdOf(id));
  if (record !== undefined && maySeeCard(caller, record)) return record;
  throw unknownCard();
}

/** The id as stored: a workflow id loses its prefix. */
export function requestIdOf(id: string): string {
  const prefix = cardWorkflowId('');
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/** Throws a `Problem` for what may be a card number: it is no id, and belongs into no address or log. */
export function assertNoCardNumber(id: string): void {
  if (holdsCardNumber(id)) throw unknownCard();
}

export function unknownCard(): Problem {
  return new Problem('not-found', 'unknown-id', 'No card payment is known under this ID.', {
    hint: 'An ID is a merchant_request_id, a payment id or a workflow id; `payouts card list` shows them.',
  });
}
