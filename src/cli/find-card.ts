import { cardWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import type { CardRecord } from '../store/card-store.ts';
import type { Store } from '../store/store.ts';

/** The card payment with this merchant_request_id, payment id or workflow id. */
export async function findCard({ cards }: Pick<Store, 'cards'>, id: string): Promise<CardRecord> {
  const record = await cards.find(requestIdOf(id));
  if (record === undefined) throw unknownCard();
  return record;
}

/** The id as stored: a workflow id loses its prefix. */
export function requestIdOf(id: string): string {
  const prefix = cardWorkflowId('');
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

export function unknownCard(): Problem {
  return new Problem('not-found', 'unknown-id', 'No card payment is known under this ID.', {
    hint: 'An ID is a merchant_request_id, a payment id or a workflow id; `payouts card list` shows them.',
  });
}
