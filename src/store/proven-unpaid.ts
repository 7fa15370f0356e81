import { referenceOf } from '../domain/identity.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import { compareDecimals } from '../domain/money.ts';
import { mainOrderKindOf, orderKindsOf } from '../domain/names.ts';
import { isUnpaid } from '../domain/payout-state.ts';
import { cameBackOf, isWhole } from '../domain/returned.ts';
import { inDoubt, mayHaveMoved } from '../domain/submission.ts';
import { orderReferences } from './claimed-row.ts';
import type { IncidentRecord, PayoutRecord, ReturnSeen, Store } from './store.ts';

type Proofs = Pick<Store, 'attemptsOf' | 'incidentsOf' | 'paidOrdersOf'> & {
  returnsOf(references: readonly string[]): Promise<ReturnSeen[]>;
};

type GenerationProofs = Proofs & Pick<Store, 'payoutsOf'>;

/** By reference of a payout: what would be paid again of it. Absent: all that was asked for. */
type AskedAgain = ReadonlyMap<string, PayoutInstruction>;

/**
 * References of the payouts whose money is proven to be ours: those that ended unpaid without an incident, and those of whose money
 * the bank has sent back as much as would be paid again, as people have agreed; and no unresolved attempt in either case. The stored
 * state alone proves nothing.
 */
export async function provenUnpaid(
  store: Proofs,
  payouts: readonly PayoutRecord[],
  asked: AskedAgain = new Map(),
): Promise<ReadonlySet<string>> {
  const incidents = await store.incidentsOf(payouts.map(({ reference }) => reference));
  const about = Map.groupBy(incidents, ({ reference }) => reference);
  const unpaid = payouts.filter(({ state, reference }) => isUnpaid(state) && !about.has(reference));
  const returned = payouts.filter(
    ({ state, reference }) => state === 'completed' && isAgreed(about.get(reference) ?? []),
  );
  const back = await cameBackEnough(store, returned, asked);
  const ended = [...unpaid, ...returned.filter(({ reference }) => back.has(reference))];
  const orderKinds = ended.map((payout) => Object.values(orderReferences(payout)));
  const followed = new Map(returned.map(({ reference, orderId }) => [reference, orderId]));
  const open = new Set(
    inDoubt(await store.attemptsOf(orderKinds.flat()))
      // Its order is the one that was paid and came back.
      .filter(({ reference, outcome, orderId }) => outcome !== 'accepted' || orderId !== followed.get(reference))
      .map(({ reference }) => reference),
  );
  return new Set(
    ended
      .filter((_, index) => orderKinds[index]?.every((orderKind) => !open.has(orderKind)))
      .map(({ reference }) => reference),
  );
}

/** Nothing else is known against it, and every return was acknowledged. */
const isAgreed = (incidents: readonly IncidentRecord[]): boolean =>
  incidents.length > 0 && incidents.every(({ kind, acknowledged }) => kind === 'returned' && acknowledged !== null);

/** Of these payouts, the references of those of which as much has come back as would be paid again, in the currency of both. */
export async function cameBackEnough(
  store: Proofs,
  payouts: readonly PayoutRecord[],
  asked: AskedAgain,
  isShown: (entry: ReturnSeen) => boolean = () => true,
): Promise<ReadonlySet<string>> {
  if (payouts.length === 0) return new Set();
  const references = payouts.map(({ reference }) => reference);
  const paid = new Map((await store.paidOrdersOf(references)).map((order) => [order.reference, order]));
  const returns = Map.groupBy((await store.returnsOf(references)).filter(isShown), ({ reference }) => reference);
  const isEnough = ({ reference, kind, instruction }: PayoutRecord): boolean => {
    const { amount, currency } = paid.get(reference) ?? {};
    const whole = { amount: amount ?? instruction.amount, currency: currency ?? instruction.currency };
    const cameBack = cameBackOf(whole, returns.get(reference) ?? []);
    if (kind !== 'payout' || cameBack === undefined) return false;
    const again = asked.get(reference);
    const isPart = again?.currency === whole.currency && compareDecimals(again.amount, cameBack.amount) !== 1;
    return isPart || isWhole(cameBack);
  };
  return new Set(payouts.filter(isEnough).map(({ reference }) => reference));
}

/** How much of each earlier generation a row would pay again. */
export const askedOf = ({ instruction }: Generation, earlier: readonly PayoutRecord[]): AskedAgain =>
  new Map(instruction === undefined ? [] : earlier.map(({ reference }) => [reference, instruction]));

/**
 * A new generation is a new reference: allowed only if the money of every earlier one is proven to be ours; of one of them, as much
 * as the new one asks is enough.
 */
export async function areEarlierUnpaid(store: GenerationProofs, row: Generation): Promise<boolean> {
  const { generation } = row;
  if (generation === 0) return true;
  const earlier = await store.payoutsOf(earlierReferences(row));
  const whole = await provenUnpaid(store, earlier);
  const part = earlier.filter(({ reference }) => !whole.has(reference));
  if (earlier.length < generation || part.length > 1) return false;
  return (await provenUnpaid(store, part, askedOf(row, part))).size === part.length;
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
export const mayOtherGenerationPay = async (store: GenerationProofs, row: Generation): Promise<boolean> =>
  !(await areEarlierUnpaid(store, row)) || isLaterSent(store, row);

export type Generation = Pick<PayoutRecord, 'uid' | 'documentId' | 'generation' | 'kind'> &
  Partial<Pick<PayoutRecord, 'instruction'>>;

/** Of the payout that this one pays again; undefined: it is the first of its document. */
export const retriedReference = (row: Generation): string | undefined => earlierReferences(row).at(-1);

/** At most so many: a row with an invented number, which lacks one then, blocks no process. */
export const earlierReferences = ({ uid, documentId, generation, kind }: Generation): string[] =>
  Array.from({ length: Math.min(generation, GENERATIONS_MAX) }, (_, before) =>
    referenceOf(uid, documentId, mainOrderKindOf(kind), before),
  );

/** Nobody pays a document again so often. */
export const GENERATIONS_MAX = 1_000;
