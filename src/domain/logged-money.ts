import type { PayoutInstruction } from './instruction.ts';
import { addDecimals, decimalsEqual } from './money.ts';
import type { OrderFacts } from './order-judgement.ts';
import { isEnd, type PayoutState } from './payout-state.ts';
import { forPeople } from './reconciliation.ts';

/**
 * What the audit log says of the money of a payout, compared with its row and with the order that the bank shows: anyone who writes
 * the store can change a row, but not what was logged when it was claimed, decided, sent and paid. Pure.
 */

export interface MoneyEntry {
  seq: number;
  action: string;
  detail: Readonly<Record<string, string>>;
}

/** A value that is another one than the log says; account ids and digests are shortened. */
export interface LogDifference {
  /** The entry; null: there is none. */
  seq: number | null;
  /** Reference or batch id. */
  subject: string;
  field: string;
  logged: string;
  found: string;
  /** Where the other value is. */
  where: 'row' | 'bank' | 'entry';
}

interface ComparedRow {
  reference: string;
  instruction: PayoutInstruction;
  /** Of the instruction as it was claimed. */
  digest: string;
  /** Of the instruction as it is now; undefined: no personal data was erased from it. */
  left: string | undefined;
  state: PayoutState;
  orderId: string | null;
  fee: string | null;
  feeCurrency: string | null;
}

export const COMPLETED = 'payout completed';
/** Its entry holds the digest of the instruction as it was claimed, and of what is left of it. */
export const ERASED = 'personal data erased';
const SENT = 'order sent';
export const CLAIMED = 'payout claimed';
/** Actions whose entries say what a payout asks. */
const DECISIONS: readonly string[] = ['approve', 'approve, signed', 'reject, signed'];

/** `entries`: all about the payout, in their order. */
export function rowDifferences(row: ComparedRow, entries: readonly MoneyEntry[]): LogDifference[] {
  const { reference, instruction, state } = row;
  const found = new Differences(reference);
  // Orders of its exchange have a reference of their own.
  const sent = entries.filter(({ action, detail }) => action === SENT && detail.reference === reference);
  const asked = entries.filter(({ action }) => action === CLAIMED || DECISIONS.includes(action));
  for (const entry of [...asked, ...sent]) found.money(entry, instruction, 'row');
  for (const entry of asked) {
    if (entry.action === CLAIMED) found.text(entry, 'digest', row.digest, 'row');
  }
  if (row.left !== undefined) {
    const erased = entries.findLast(({ action }) => action === ERASED);
    if (erased === undefined) found.add(null, 'left', '', row.left, 'row');
    else for (const field of ['digest', 'left'] as const) found.text(erased, field, row[field], 'row');
  }
  const lastSent = sent.at(-1);
  const decided = entries.findLast((entry) => isApproval(entry) && entry.seq < (lastSent?.seq ?? 0));
  if (lastSent !== undefined && decided !== undefined) {
    for (const field of ['account', 'to', 'payee']) found.text(decided, field, lastSent.detail[field], 'entry');
  }
  const ended = entries.filter(({ action }) => action.startsWith('payout ') && isEnd(endOf(action)));
  for (const entry of ended) {
    if (endOf(entry.action) !== state) found.add(entry.seq, 'state', endOf(entry.action), state, 'row');
    if (entry.action !== COMPLETED || isAdopted(entries)) continue;
    found.money(entry, instruction, 'row');
    found.text(entry, 'orderId', row.orderId ?? undefined, 'row');
    found.text(entry, 'fee', row.fee === null ? undefined : `${row.fee} ${row.feeCurrency ?? ''}`.trim(), 'row');
    if (lastSent !== undefined) found.text(lastSent, 'account', entry.detail.account, 'entry');
  }
  if (isEnd(state) && ended.length === 0) found.add(null, 'state', '', state, 'row');
  return found.list;
}

/** Of the payout as read, not of a hold, whose digest may cover less: `holdDigest`. */
const isApproval = ({ action, detail }: MoneyEntry): boolean =>
  DECISIONS.includes(action) && (detail.question ?? 'payout') === 'payout' && detail.digest?.includes('/') === false;

/** People have said that another order than was sent is the one: the entry of that decision explains what differs. */
const isAdopted = (entries: readonly MoneyEntry[]): boolean =>
  entries.some(
    ({ action, detail }) =>
      detail.digest?.startsWith('adopt-order/') === true ||
      (action === 'asked to resolve' && detail.action === 'adopt-order'),
  );

/** Of the order that pays a completed payout, as the bank shows it now. */
export function orderDifferencesFromLog(
  { reference }: Pick<ComparedRow, 'reference'>,
  entries: readonly MoneyEntry[],
  order: OrderFacts,
): LogDifference[] {
  const found = new Differences(reference);
  if (isAdopted(entries)) return found.list;
  const { transaction_amount: amount = order.buy_amount, transaction_currency: currency = order.buy_currency } = order;
  const account = order.transaction_account ?? order.sell_account;
  for (const entry of entries) {
    const isOwn = entry.action === SENT && entry.detail.reference === reference;
    if (!isOwn && !DECISIONS.includes(entry.action) && entry.action !== COMPLETED) continue;
    const fee = order.fee_currency === currency ? order.fee : undefined;
    found.money(entry, { amount, currency }, 'bank', fee);
    if (!DECISIONS.includes(entry.action)) found.text(entry, 'account', account, 'bank');
  }
  return found.list;
}

const endOf = (action: string): PayoutState => action.slice('payout '.length) as PayoutState;

class Differences {
  readonly #subject: string;
  readonly list: LogDifference[] = [];

  constructor(subject: string) {
    this.#subject = subject;
  }

  add(seq: number | null, field: string, logged: string, found: string, where: LogDifference['where']): void {
    this.list.push({ seq, subject: this.#subject, field, ...shortened(field, logged, found), where });
  }

  /** A value that one of the two does not have is not compared. */
  text({ seq, detail }: MoneyEntry, field: string, found: string | undefined, where: LogDifference['where']): void {
    const logged = detail[field];
    if (logged !== undefined && found !== undefined && logged !== found) this.add(seq, field, logged, found, where);
  }

  /** `fee`: which the bank may count in, as `fee` of the entry. */
  money(
    { seq, detail }: MoneyEntry,
    found: { amount?: string; currency?: string },
    where: LogDifference['where'],
    fee?: string,
  ): void {
    const { amount: logged, currency = '' } = detail;
    if (logged === undefined || found.amount === undefined) return;
    const isSame = found.currency === undefined || found.currency === currency;
    const fees = [fee, feeIn(detail.fee, currency)].filter((it) => it !== undefined);
    const sums = fees.flatMap((it) => [
      [logged, addDecimals(found.amount ?? '', it)],
      [addDecimals(logged, it), found.amount ?? ''],
    ]);
    if (isSame && [[logged, found.amount], ...sums].some(([a = '', b = '']) => decimalsEqual(a, b))) return;
    this.add(seq, 'amount', `${logged} ${currency}`, `${found.amount} ${found.currency ?? ''}`.trim(), where);
  }
}

/** The fee of an entry, `0.50 EUR`, if it is in this currency. */
function feeIn(fee: string | undefined, currency: string): string | undefined {
  const [amount, its] = fee?.split(' ') ?? [];
  return its === currency ? amount : undefined;
}

const ACCOUNTS: readonly string[] = ['account', 'to'];
const DIGESTS: readonly string[] = ['digest', 'left', 'payee', 'root'];
const SHOWN = 12;

export function shortened(field: string, logged: string, found: string): { logged: string; found: string } {
  if (DIGESTS.includes(field)) return { logged: logged.slice(0, SHOWN), found: found.slice(0, SHOWN) };
  const { ours, shown } = forPeople({
    field: ACCOUNTS.includes(field) ? 'our_account' : field,
    ours: logged,
    shown: found,
  });
  return { logged: ours, found: shown };
}
