import { cardWorkflowId } from '../domain/names.ts';
import type { CardRecord } from '../store/card-store.ts';
import type { Store } from '../store/store.ts';
import { CommandError, EXIT } from './exit.ts';

/** The card payment that an ID names: its merchant_request_id, a payment id, or its workflow id. */
export async function findCard({ cards }: Pick<Store, 'cards'>, id: string): Promise<CardRecord> {
  const prefix = cardWorkflowId('');
  const record = await cards.find(id.startsWith(prefix) ? id.slice(prefix.length) : id);
  if (record !== undefined) return record;
  throw new CommandError(EXIT.usage, 'unknown-id', 'No card payment is known under this ID.', {
    hint: 'An ID is a merchant_request_id, a payment id or a workflow id; `payouts card list` shows them.',
  });
}
