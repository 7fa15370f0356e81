import { referenceOf } from '../../domain/identity.ts';
import { legsOf } from '../../domain/names.ts';
import { ownStem, referenceForm } from '../../domain/reference-form.ts';
import { mayBeOrderOf } from '../../domain/submission.ts';
import { GENERATIONS_MORE } from '../../store/proven-unpaid.ts';
import type { PayoutRecord, UnaskedOrder } from '../../store/store.ts';
import type { LookDeps } from '../look-at-list.ts';

/** What the references of a row derive from, claimed or not. */
export type SentRow = Pick<PayoutRecord, 'uid' | 'documentId' | 'generation' | 'kind'> &
  Partial<Pick<PayoutRecord, 'createdAt' | 'releasedAt'>>;

/** An order that this store did not send, under a reference of the document. */
export interface UnsentOrder extends UnaskedOrder {
  /** As it would be sent. */
  reference: string;
}

/** Orders that lists have shown under references of the document, of every generation, and that no attempt of ours explains. */
export async function unsentOrders(
  { store }: Pick<LookDeps, 'store'>,
  { uid, documentId, generation, kind }: SentRow,
): Promise<UnsentOrder[]> {
  if (!(await store.hasUnaskedOrders())) return [];
  const references = Array.from({ length: generation + 1 + GENERATIONS_MORE }, (_, each) =>
    legsOf(kind).map((leg) => referenceOf(uid, documentId, leg, each)),
  ).flat();
  const byStem = new Map(references.map((reference) => [ownStem(reference) ?? '', reference]));
  const found = (await store.unaskedOrdersLike([...byStem.keys()])).flatMap((order) => {
    const reference = byStem.get(order.stem ?? '') ?? '';
    return referenceForm(order.clientOrderId ?? '', reference) === 'other' ? [] : [{ ...order, reference }];
  });
  if (found.length === 0) return [];
  const under = found.map(({ reference }) => reference);
  const sent = Map.groupBy(await store.attemptsOf(under), ({ reference }) => reference);
  const followed = new Set([
    ...(await store.payoutsOf(under)).map(({ orderId }) => orderId),
    ...(await store.bookedExchangesOf(references)).map(({ orderId }) => orderId),
  ]);
  return found.filter(
    ({ orderId, reference }) => !followed.has(orderId) && !mayBeOrderOf(sent.get(reference) ?? [], orderId),
  );
}
