import { NO_REFERENCE, NOT_FOUND } from '../../domain/order-judgement.ts';
import { isNoMoney } from '../../domain/order-status.ts';
import { localReads } from '../proxies.ts';
import type { Follow } from './followed-order.ts';
import type { OrderLeg } from './order-leg.ts';

/** A read that lags behind the list shows a reported order within a few reads; an order that does not exist is never shown. */
const LOOKS_FOR_ABSENT = 5;

/** Every order reported or set aside under the reference, including the one followed. */
export function knownOrders({ view, reference, orderId, setAside: aside }: OrderLeg): Set<string> {
  const told = view.inbox.noticesFor(reference).map((notice) => notice.orderId);
  return new Set([...(orderId === undefined ? [] : [orderId]), ...told, ...aside]);
}

/** Notes that an operator chose another order instead of this one. */
export function setAside({ setAside: aside, dismissed }: OrderLeg, orderId: string): void {
  aside.add(orderId);
  dismissed.add(orderId);
}

/** The chosen order took no money: the orders set aside for it count again. */
export function countOrdersAgain({ setAside: aside, dismissed }: OrderLeg): void {
  for (const other of aside) dismissed.delete(other);
}

/**
 * Another order under the reference that may take money and that no operator has judged. A notice only says where to look: the
 * order itself shows whether it exists and is ours.
 */
export async function secondOrder(follow: Follow): Promise<string | undefined> {
  const { leg } = follow;
  follow.isSecondUnread = false;
  // A bank may show one record for each leg of an exchange.
  if (leg.plan.kind === 'exchange') return undefined;
  for (const told of knownOrders(leg)) {
    if (told === leg.orderId || leg.dismissed.has(told)) continue;
    if (await readShowsOrder(follow, told)) return told;
    // Not shown, or not read, for once says nothing about its money.
    if (told === follow.second && !leg.dismissed.has(told)) return told;
  }
  return undefined;
}

/** Whether a read shows the order, as one under the reference that may take money. */
export async function readShowsOrder(follow: Follow, orderId: string): Promise<boolean> {
  const { leg, notThere } = follow;
  const { view, plan, terms } = leg;
  const order = await localReads.readOrder
    .executeWithOptions({ summary: 'reads another order under the reference' }, [
      { as: 'other', claim: view.claim, leg: plan.kind, orderId, closedMeans: terms.closedMeans },
    ])
    .catch(() => undefined);
  if (order === undefined) {
    follow.isSecondUnread = true;
    follow.quickReads += 1;
    return false;
  }
  if (order.status === NOT_FOUND) {
    const looks = (notThere.get(orderId) ?? 0) + 1;
    notThere.set(orderId, looks);
    follow.quickReads += 1;
    if (looks >= LOOKS_FOR_ABSENT) leg.dismissed.add(orderId);
    return false;
  }
  // An order of somebody else, a return, or an order that took no money.
  const isOther = order.differences.some((field) => field === NO_REFERENCE || field === 'direct');
  const mayPay = !isOther && !isNoMoney(order.meaning);
  if (!mayPay) leg.dismissed.add(orderId);
  return mayPay;
}
