import { referenceOf } from '../domain/identity.ts';
import { mainOrderKindOf, orderKindsOf } from '../domain/names.ts';
import { isUnpaid } from '../domain/payout-state.ts';
import { inDoubt, mayHaveMoved } from '../domain/submission.ts';
import { orderReferences } from './claimed-row.ts';
import type { PayoutRecord, Store } from './store.ts';

/**
 * References of the payouts proven to have taken no money: an end other than completed, no unresolved attempt, and no incident.
 * The stored state alone proves nothing.
 */
export async function provenUnpaid(
  store: Pick<Store, 'attemptsOf' | 'incidentsOf'>,
  payouts: readonly PayoutRecord[],
): Promise<ReadonlySet<string>> {
  const unpaid = payouts.filter(({ state }) => isUnpaid(state));
  const incidents = await store.incidentsOf(unpaid.map(({ reference }) => reference));
  const contradicted = new Set(incidents.map(({ reference }) => reference));
  const ended = unpaid.filter(({ reference }) => !contradicted.has(reference));
  const orderKinds = ended.map((payout) => Object.values(orderReferences(payout)));
  const open = new Set(inDoubt(await store.attemptsOf(orderKinds.flat())).map(({ reference }) => reference));
  return new Set(
    ended
      .filter((_, index) => orderKinds[index]?.every((orderKind) => !open.has(orderKind)))
      .map(({ reference }) => reference),
  );
}

/** A new generation is a new reference: allowed only if every earlier one is proven to have taken no money. */
export async function areEarlierUnpaid(
  store: Pick<Store, 'attemptsOf' | 'incidentsOf' | 'payoutsOf'>,
  row: Generation,
): Promise<boolean> {
  const { uid, documentId, generation, kind } = row;
  if (generation === 0) return true;
  // The previous generation must exist; so an invented number costs no loop up to it.
  const last = referenceOf(uid, documentId, mainOrderKindOf(kind), generation - 1);
  if ((await store.payoutsOf([last])).length === 0) return false;
  return (await provenUnpaid(store, await store.payoutsOf(earlierReferences(row)))).size === generation;
}

/** Another store may have paid a document again so many times more than this one knows of. */
export const GENERATIONS_MORE = 16;

/**
 * Whether an order of a later generation may have taken money. It was made because this one was proven unpaid, so this one must
 * never be sent, in any state of its row: only somebody who writes to the store can have brought it back.
 */
async function isLaterSent(
  store: Pick<Store, 'attemptsOf'>,
  { uid, documentId, generation, kind }: Generation,
): Promise<boolean> {
  const later = Array.from({ length: GENERATIONS_MORE }, (_, more) =>
    orderKindsOf(kind).map((orderKind) => referenceOf(uid, documentId, orderKind, generation + 1 + more)),
  );
  return mayHaveMoved(await store.attemptsOf(later.flat()));
}

/** Whether, as far as the store knows, an earlier or a later generation of the document may take money beside this one. */
export const mayOtherGenerationPay = async (
  store: Pick<Store, 'attemptsOf' | 'incidentsOf' | 'payoutsOf'>,
  row: Generation,
): Promise<boolean> => !(await areEarlierUnpaid(store, row)) || isLaterSent(store, row);

type Generation = Pick<PayoutRecord, 'uid' | 'documentId' | 'generation' | 'kind'>;

export const earlierReferences = ({ uid, documentId, generation, kind }: Generation): string[] =>
  Array.from({ length: generation }, (_, before) => referenceOf(uid, documentId, mainOrderKindOf(kind), before));
