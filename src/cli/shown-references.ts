import type { Bank } from '../bank/bank.ts';
import {
  ByReference,
  type ReferenceForm,
  type ReferenceSpelling,
  referenceForm,
  spellingText,
} from '../domain/reference-form.ts';
import { DAY_MS } from '../domain/time.ts';
import type { Config } from '../platform/config.ts';
import type { Store } from '../store/store.ts';

/** Number of orders of ours by the form in which they show their reference; `absent`: without any. */
type ShownReferences = ReadonlyMap<ReferenceForm | 'absent', number>;

/** The payouts of as many days as reconciliation covers; `clockSkewMs`: how far the bank's clock may be off. */
export const recentPayouts = ({ settings: { pageSize, reconcileDays, clockSkewMs } }: Config) => ({
  changedSince: Date.now() - reconcileDays * DAY_MS,
  clockSkewMs,
  pageSize,
});

/** This many pairs of user and currency are enough to see what a bank does with references. */
const KEYS_MAX = 5;

/**
 * Compares the references in order lists with those that the store records as sent. Reads only one page for each user and
 * currency, and sends nothing. An order is ours by its id or by a form of its reference.
 */
export async function shownReferences(
  { bank, store }: { bank: Bank; store: Store },
  { changedSince, clockSkewMs, pageSize }: ReturnType<typeof recentPayouts>,
): Promise<ShownReferences> {
  const shown = new Map<ReferenceForm | 'absent', number>();
  for (const { uid, currency, since } of await store.reconciliationKeys(changedSince, {
    after: null,
    limit: KEYS_MAX,
  })) {
    const query = { uid, currency, from: Math.max(0, since - clockSkewMs), type: 'PAYMENT' };
    const { orders } = await bank.orders.listAll(query, { pageSize, calls: 1 });
    const owners = await store.payoutsOfOrders(orders.map(({ order_id }) => order_id));
    const byId = new Map(owners.map(({ orderId, reference }) => [orderId, reference]));
    const documents = await store.documentsOf(uid, changedSince);
    const sent = new ByReference(documents.map(({ reference }): [string, string] => [reference, reference]));
    for (const { order_id, client_order_id: given } of orders) {
      const reference = byId.get(order_id) ?? (given === undefined ? undefined : sent.find(given));
      if (reference === undefined) continue;
      const form = given === undefined ? 'absent' : referenceForm(given, reference);
      shown.set(form, (shown.get(form) ?? 0) + 1);
    }
  }
  return shown;
}

/**
 * What this means for the operator; `warning` if a lost answer would cost more than a wait. `spellings`: learned from orders that
 * were read by their id.
 */
export function judgeShown(
  shown: ShownReferences,
  spellings?: readonly ReferenceSpelling[],
): { verdict: 'ok' | 'warning'; detail: string } {
  const total = [...shown.values()].reduce((sum, count) => sum + count, 0);
  const altered = [...shown].filter(([form]) => form !== 'as-sent');
  if (total === 0) return { verdict: 'ok', detail: 'no order of ours to compare yet' };
  if (altered.length === 0) return { verdict: 'ok', detail: `come back as sent, in ${total} orders` };
  const counts = altered.map(([form, count]) => `${count} ${form}`).join(', ');
  const seen = `of ${total} orders the bank shows ${counts}: orders are known by their order id`;
  const learned = spellingText(spellings);
  if (learned !== undefined && altered.every(([form]) => form === 'respelled' || form === 'cut')) {
    return { verdict: 'ok', detail: `${seen}, and one whose answer was lost by its reference ${learned}` };
  }
  const lost =
    shown.has('other') || shown.has('absent')
      ? 'one whose answer was lost cannot be found: set PAYOUTS_REFERENCE_DEDUPE=none'
      : 'one whose answer was lost goes to needs-operator, reference-conflict';
  const mixed = spellings?.length === 0 ? ' (it shows them in more than one form)' : '';
  return { verdict: 'warning', detail: `${seen}, but ${lost}${mixed}` };
}
