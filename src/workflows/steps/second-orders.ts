import { patched } from '@temporalio/workflow';
import { isNoMoney } from '../../domain/order-status.ts';
import type { Terms } from '../../domain/policy.ts';
import type { PayoutLife } from '../life.ts';
import { glances } from '../proxies.ts';
import type { OrderRequest } from './submit-order.ts';

/** The order that is followed, and what notices have told of others under its reference. */
export interface Others {
  life: PayoutLife;
  request: OrderRequest;
  orderId: string;
  terms: Terms;
  /** How often an order that was told of was not there. */
  notThere: Map<string, number>;
  /** Looks in a row that did not bear out what was told. */
  doubts: number;
}

/** A read that lags behind the list shows an order after a few looks; a notice of nothing never does. */
const LOOKS_FOR_ABSENT = 5;

/** Every order told of under the reference, the one followed among them. */
export function knownOrders({ life, request, orderId }: Others): Set<string> {
  const told = life.notices.filter(({ reference }) => reference === request.expected.reference);
  return new Set([orderId, ...told.map((notice) => notice.orderId), ...life.setAside]);
}

/** An operator follows another order instead of this one. */
export function setAside(life: PayoutLife, orderId: string): void {
  life.setAside.add(orderId);
  life.dismissedOrders.add(orderId);
}

/** The order that was chosen took no money: what was set aside for it counts again. */
export function takeBack(life: PayoutLife): void {
  if (life.setAside.size === 0 || !patched('set-aside-counts-again')) return;
  for (const other of life.setAside) life.dismissedOrders.delete(other);
}

/**
 * Another order under the reference that may take money, not yet judged by an operator. A notice only says where to look:
 * the order itself says whether it is there and ours.
 */
export async function secondOrder(others: Others): Promise<string | undefined> {
  const { life, request, orderId } = others;
  // A bank may show a record for each leg of an exchange.
  if (request.expected.kind === 'exchange') return undefined;
  for (const told of knownOrders(others)) {
    if (told === orderId || life.dismissedOrders.has(told)) continue;
    if (!patched('second-order-is-read') || (await isThere(others, told))) return told;
  }
  return undefined;
}

async function isThere(others: Others, orderId: string): Promise<boolean> {
  const { life, request, terms, notThere } = others;
  const { expected } = request;
  const { closedMeans } = terms;
  const order = await glances.readOrder
    .executeWithOptions({ summary: 'looks at another order under the reference' }, [
      { owner: life.reference, orderId, expected, closedMeans },
    ])
    .catch(() => undefined);
  if (order === undefined || order.status === 'NOT_FOUND') {
    const looks = (notThere.get(orderId) ?? 0) + 1;
    notThere.set(orderId, looks);
    others.doubts += 1;
    if (looks >= LOOKS_FOR_ABSENT) life.dismissedOrders.add(orderId);
    return false;
  }
  // Somebody else's, money that came back, or one that took none.
  const isOther = order.differences.some((field) => field === 'client_order_id' || field === 'direct');
  if (isOther || isNoMoney(order.meaning)) life.dismissedOrders.add(orderId);
  return !isOther && !isNoMoney(order.meaning);
}
