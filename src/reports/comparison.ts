import { listsOfOrder } from '../activities/send.ts';
import type { Bank } from '../bank/bank.ts';
import { isBankError, isJudged, undefinedIf } from '../bank/errors.ts';
import type { Order } from '../bank/schemas/orders.ts';
import { minuteOf, shortId } from '../domain/display.ts';
import { shownValue } from '../domain/finding.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import { groupedAmount } from '../domain/money.ts';
import type { OrderKind } from '../domain/names.ts';
import { isArrival, isReturn } from '../domain/order-judgement.ts';
import { isEnd } from '../domain/payout-state.ts';
import { referenceForm } from '../domain/reference-form.ts';
import type { SentOrder } from '../domain/sent-order.ts';
import { orderToRepeat } from '../domain/submission.ts';
import { orderReferences } from '../store/claimed-row.ts';
import type { IncidentRecord, PayoutRecord, SendAttempt, Store } from '../store/store.ts';
import { payeeInFull, payeeText } from './masked.ts';

/** Two or more sides of something in a row, for comparison; masked values may look equal where they differ. */
export interface Comparison {
  /** Names the payout and what is compared. */
  title: string;
  sides: readonly string[];
  lines: readonly ComparedLine[];
  note?: string;
  /** Of orders at the bank: the id of each side. */
  orderIds?: readonly string[];
}

interface ComparedLine {
  name: string;
  /** One for each side. */
  values: readonly string[];
  differs: boolean;
}

/** Values by name, as shown. */
type Side = Readonly<Record<string, string>>;

/** What tells two sides apart, and so says nothing by differing. */
const NAMES: ReadonlySet<string> = new Set(['order', 'known as', 'document', 'payout']);

/** A line for every name for which a side has a value; `differs` if the values should be the same and are not. */
function comparedLines(sides: readonly Side[]): ComparedLine[] {
  const names = [...new Set(sides.flatMap(Object.keys))];
  return names
    .map((name) => {
      const values = sides.map((side) => side[name] ?? '');
      return { name, values, differs: !NAMES.has(name) && new Set(values).size > 1 };
    })
    .filter(({ values }) => values.some((value) => value !== ''));
}

// Comparisons for what looks alike, was changed or exists twice.

type BankShown = Pick<Bank, 'accounts' | 'beneficiaries' | 'orders'>;

interface SidesOf {
  store: Store;
  /** Absent: comparisons that need the bank are left out. */
  bank?: BankShown;
  /** `clockSkewMs`: how much earlier than its sending an order may be dated. */
  settings: { clockSkewMs: number };
  /** Details of payees are masked. */
  isMasked?: boolean;
}

export const needsBank = ({ reason, assessed }: PayoutRecord): boolean =>
  isPayeeInDoubt(reason?.code) ||
  assessed?.flags?.includes('changed-payee') === true ||
  reason?.code === 'duplicate-suspected';

const isPayeeInDoubt = (code: string | undefined): boolean =>
  code === 'beneficiary-changed' || code === 'beneficiary-conflict';

/** The comparisons of a row; empty if it has nothing to compare. Throws a `BankError` if the bank does not answer. */
export async function bothSides(
  { store, bank, settings, isMasked = false }: SidesOf,
  row: PayoutRecord,
): Promise<Comparison[]> {
  const { lookAlikeOf, reason, reference, state } = row;
  const found: (Comparison | undefined)[] = [];
  const incidents = await store.incidentsOf([reference]);
  if (bank !== undefined && (reason?.code === 'duplicate-suspected' || incidents.length > 0)) {
    found.push(await ordersCompared({ store, bank, settings }, row, incidents));
  }
  if (isEnd(state)) return found.filter((it) => it !== undefined);
  const earlier = lookAlikeOf === null ? undefined : await store.payout(lookAlikeOf);
  if (earlier !== undefined) {
    const lines = comparedLines([row, earlier].map((it) => payoutSide(it, isMasked)));
    found.push({ title: titleOf(row), sides: ['this payout', 'earlier payout'], lines });
  }
  if (bank !== undefined && reason?.code !== 'duplicate-suspected' && needsBank(row)) {
    found.push(await payeeCompared({ store, bank, isMasked }, row));
  }
  return found.filter((it) => it !== undefined);
}

/** The same, but undefined if the bank does not answer. */
export const sidesShown = (sides: SidesOf, row: PayoutRecord): Promise<Comparison[] | undefined> =>
  undefinedIf(isBankError, () => bothSides(sides, row));

const titleOf = ({ documentId, reference }: PayoutRecord): string => `${documentId} (${shortId(reference)})`;

function payoutSide(row: PayoutRecord, isMasked: boolean): Side {
  const { documentId, reference, uid, instruction, by, state, createdAt, endedAt, batchId } = row;
  return {
    document: documentId,
    payout: shortId(reference),
    user: uid,
    amount: moneyText(instruction.amount, instruction.currency),
    from: instruction.account_id,
    to: isMasked ? payeeText(row) : payeeInFull(row, undefined),
    submitted: minuteOf(createdAt),
    by: by ?? 'unknown',
    batch: batchId === null ? '' : shortId(batchId),
    state,
    ended: endedAt === null ? '' : minuteOf(endedAt),
  };
}

async function payeeCompared(
  { store, bank, isMasked }: { store: Store; bank: BankShown; isMasked: boolean },
  row: PayoutRecord,
): Promise<Comparison | undefined> {
  const { uid, instruction, assessed } = row;
  const known = assessed?.beneficiary;
  const id = instruction.beneficiary_id ?? (known?.known === true ? known.id : undefined);
  if (id === undefined) return undefined;
  const isById = instruction.beneficiary_id !== undefined;
  const sides = [isById ? 'before' : 'instruction', 'bank now'];
  const title = `${titleOf(row)}, payee ${id}`;
  const shown = await undefinedIf(isJudged, () => bank.beneficiaries.get(id));
  if (shown === undefined) return { title, sides, lines: [], note: 'The bank does not show this payee now.' };
  const [seen] = isById ? await store.payeesOf([{ uid, payeeId: id }]) : [];
  const before = isById ? seen?.earlier : beneficiaryFields(instruction);
  if (before == null) return { title, sides, lines: [], note: 'Nothing is kept of what the bank showed before.' };
  const lines = [...new Set([...Object.keys(before), ...Object.keys(shown.items)])].sort().map((name) => {
    const both = [before[name], shown.items[name]];
    const values = both.map((value) => (isMasked ? (shownValue(name, value) ?? '') : (value ?? '')));
    return { name, values, differs: both[0] !== both[1] };
  });
  return { title, sides, lines };
}

/** The orders under the references of a row, as the bank shows them now; undefined if there are fewer than two. */
async function ordersCompared(
  { store, bank, settings: { clockSkewMs } }: Required<Omit<SidesOf, 'isMasked'>>,
  row: PayoutRecord,
  incidents: readonly IncidentRecord[],
): Promise<Comparison | undefined> {
  const orderKinds = Object.entries(orderReferences(row)) as [OrderKind, string][];
  const attempts = await store.attemptsOf(orderKinds.map(([, reference]) => reference));
  const ours = [row.orderId, ...attempts.map(({ orderId }) => orderId)].filter((id) => id !== null);
  const orders = new Map<string, Order>();
  for (const id of new Set([...ours, ...incidents.map(({ orderId }) => orderId)])) {
    const order = await undefinedIf(isJudged, () => bank.orders.get(id));
    if (order !== undefined) orders.set(id, order);
  }
  // For an open payout, the second order may so far be known only from a list; after an end, an incident names it.
  if (!isEnd(row.state)) {
    for (const [orderKind, reference] of orderKinds) {
      const its = attempts.filter((attempt) => attempt.reference === reference);
      for (const order of await listed(bank, row, { orderKind, reference, attempts: its, clockSkewMs })) {
        orders.set(order.order_id, order);
      }
    }
  }
  if (orders.size < 2) return undefined;
  const knownAs = (id: string): string => {
    if (id === row.orderId) return 'the order of this payout';
    if (ours.includes(id)) return 'the answer to an attempt';
    const incident = incidents.find(({ orderId }) => orderId === id);
    return incident === undefined ? 'shown by the bank' : `incident ${incident.id}`;
  };
  const shown = [...orders.values()].sort((a, b) => (a.created_at ?? 0) - (b.created_at ?? 0));
  return {
    title: `${titleOf(row)}, orders at the bank`,
    sides: shown.map((_, index) => `order ${index + 1}`),
    orderIds: shown.map((order) => order.order_id),
    lines: comparedLines(shown.map((order) => orderSide(order, knownAs(order.order_id)))),
  };
}

/** What order lists show under the reference of an order since it was first sent. */
async function listed(
  bank: BankShown,
  row: PayoutRecord,
  {
    orderKind,
    reference,
    attempts,
    clockSkewMs,
  }: { orderKind: OrderKind; reference: string; attempts: readonly SendAttempt[]; clockSkewMs: number },
): Promise<Order[]> {
  if (attempts.length === 0) return [];
  const from = Math.min(...attempts.map(({ sentAt }) => sentAt)) - clockSkewMs;
  const orders: Order[] = [];
  for (const list of await listsOfOrder(bank, row, orderKind, orderToRepeat<SentOrder>(attempts))) {
    const scan = await bank.orders.listAll({ ...list, from });
    orders.push(
      ...scan.orders.filter(
        (order) =>
          referenceForm(order.client_order_id ?? '', reference) !== 'other' && !isReturn(order) && !isArrival(order),
      ),
    );
  }
  return orders;
}

function orderSide(order: Order, knownAs: string): Side {
  const { order_id, status, transaction_amount, transaction_currency, buy_amount, buy_currency } = order;
  const at = (moment: number | undefined): string => (moment === undefined ? '' : minuteOf(moment));
  return {
    order: order_id,
    'known as': knownAs,
    status,
    amount: moneyText(transaction_amount ?? buy_amount, transaction_currency ?? buy_currency),
    sold: moneyText(order.sell_amount, order.sell_currency),
    fee: moneyText(order.fee, order.fee_currency),
    account: order.transaction_account ?? order.sell_account ?? '',
    created: at(order.created_at),
    changed: at(order.updated_at),
  };
}

const moneyText = (amount: string | undefined, currency: string | undefined): string =>
  amount === undefined ? '' : `${groupedAmount(amount)} ${currency ?? ''}`.trim();
