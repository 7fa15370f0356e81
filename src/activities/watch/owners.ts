import type { Order } from '../../bank/schemas/orders.ts';
import { isReturn } from '../../domain/order-judgement.ts';
import { ByReference, mayBeAltered, mayBeOurs, referenceForm } from '../../domain/reference-form.ts';
import type { OpenOrder } from '../../store/store.ts';

/** Which open order a record of the bank belongs to. */
export interface Owners {
  /** Those that were told this order id, the first one first. */
  byId: ReadonlyMap<string, readonly OpenOrder[]>;
  byReference: ByReference<OpenOrder>;
}

export const ownersOf = (open: readonly OpenOrder[]): Owners => ({
  byId: Map.groupBy(
    open.filter(({ orderId }) => orderId !== null),
    ({ orderId }) => `${orderId}`,
  ),
  byReference: new ByReference(open.map((order) => [order.reference, order])),
});

/**
 * The open order that a listed record was made for: by the reference it shows, in whatever form, else by the id that the bank has
 * told. A bank may give one id to two orders: each then belongs to whoever sent its reference, and one that shows none to the
 * first that was told the id. A return belongs to none.
 */
export function openOrderOf(order: Order, { byId, byReference }: Owners): OpenOrder | undefined {
  if (isReturn(order)) return undefined;
  const { client_order_id: shown, order_id: orderId } = order;
  const told = byId.get(orderId) ?? [];
  if (shown === undefined) return told[0];
  const byItsReference = byReference.find(shown) ?? told.find((owner) => isFormOf(shown, owner));
  return byItsReference ?? (isOfAnother(shown) ? undefined : told[0]);
}

/** Whether the order shows the reference of another payout than this one. */
export const isAnothers = ({ client_order_id: shown }: Order, owner: OpenOrder): boolean =>
  shown !== undefined && isOfAnother(shown) && !isFormOf(shown, owner);

const isFormOf = (shown: string, { reference }: OpenOrder): boolean => referenceForm(shown, reference) !== 'other';

/** What is no reference of ours at all says nothing about whose order it is. */
const isOfAnother = (shown: string): boolean => mayBeOurs(shown) || mayBeAltered(shown);
