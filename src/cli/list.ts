import { ACCOUNTS, BANK_ORDERS, BENEFICIARIES } from '../channels/http/operations/bank-operations.ts';
import { CASH } from '../channels/http/operations/cash-operations.ts';
import { BATCHES, PAYOUTS, TOTALS, type Totals } from '../channels/http/operations/list-operations.ts';
import { counted, minuteOf, shortId, widthOf } from '../domain/display.ts';
import { referenceOf } from '../domain/identity.ts';
import { groupedAmount, sumDecimals } from '../domain/money.ts';
import { mainOrderKindOf, type PayoutKind, payoutWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { maskedPayee } from '../reports/masked.ts';
import { kindOf } from '../reports/next-step.ts';
import type { ListedPayout } from '../reports/payout-document.ts';
import type { ListedBatch, Movements } from '../reports/report-document.ts';
import type { PayoutSearch } from '../store/store.ts';
import { filledTable, table } from './output.ts';
import type { Session } from './session.ts';

export interface ListOptions {
  state?: PayoutSearch['states'];
  kind?: string;
  account?: string;
  /** The first moment of a day, epoch ms. */
  from?: number;
  /** The first moment after the last day, epoch ms. */
  to?: number;
  ended?: { from: number; to: number };
  returned?: true;
  text?: string;
}

/**
 * `payouts list`: the batches, newest first; with a filter the matching payouts, in any batch or none, and what they have moved.
 * It boots nothing.
 */
export async function list(session: Session, options: ListOptions = {}): Promise<void> {
  const { state, kind: reason, account: accountId, from, to: before, ended, returned: isReturned, text } = options;
  const search = {
    ...{ states: state && [...state], reason, accountId, from, before, text },
    ...{ endedFrom: ended?.from, endedBefore: ended?.to, isReturned },
  };
  await session.sayHindrances();
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return isFiltered ? listPayouts(session, search) : listAll(session);
}

const BATCHES_LISTED = 100;
const ROWS_LISTED = 200;

async function listAll(session: Session): Promise<void> {
  const { batches } = await session.ask(BATCHES, { limit: BATCHES_LISTED });
  const heads = ['batch', 'created (UTC)', 'state', 'paid', 'for people', 'file'];
  const text = batches.length === 0 ? 'There are no batches yet.' : table(heads, batches.map(batchCells));
  session.output.result({ batches }, text);
}

const batchCells = ({ batchId, file, state, createdAt, counts, attention, incidents }: ListedBatch): string[] => [
  batchId,
  createdAt.slice(0, 16).replace('T', ' '),
  state,
  `${groupedAmount(counts.completed)}/${groupedAmount(counts.total)}`,
  [attention === 0 ? [] : groupedAmount(attention), incidents === 0 ? [] : counted(incidents, 'incident')]
    .flat()
    .join(', '),
  file,
];

async function listPayouts(session: Session, search: Parameters<typeof TOTALS.run>[1]): Promise<void> {
  const { payouts: rows } = await session.ask(PAYOUTS, { ...search, order: 'newest', limit: ROWS_LISTED });
  const { batches, totals } = await session.ask(TOTALS, search);
  const text =
    rows.length === 0
      ? 'No payout matches.'
      : [
          filledTable(ROW_COLUMNS, rows, widthOf(process.stdout), ['payout', 'fee', 'from']),
          '',
          headLine(totals),
          totalsTable(totals.currencies),
        ].join('\n');
  session.output.result({ batches, payouts: rows, totals }, text);
}

function headLine({ payouts: count, isCut }: Totals['totals']): string {
  const all = isCut ? `The newest ${counted(count, 'payout')}, and there are more` : counted(count, 'payout');
  return count > ROWS_LISTED ? `${all}; the newest ${ROWS_LISTED} are shown.` : `${all}.`;
}

type Sum = Exclude<keyof Movements, 'currency' | 'payouts'>;

const SUMS: Readonly<Record<Sum, string>> = {
  amount: 'requested',
  completed: 'paid',
  fees: 'fees',
  sold: 'sold',
  bought: 'bought',
  returned: 'returned',
};

/** A line for each currency; a sum that is zero in all of them gets no column. */
function totalsTable(currencies: readonly Movements[]): string {
  const shown = (Object.keys(SUMS) as Sum[]).filter(
    (sum) => sum === 'amount' || currencies.some((it) => figureOf(it[sum]) !== ''),
  );
  const heads = ['currency', 'payouts', ...shown.map((sum) => SUMS[sum])];
  const lines = currencies.map((it) => [
    it.currency,
    figureOf(`${it.payouts}`),
    ...shown.map((sum) => figureOf(it[sum])),
  ]);
  return table(heads, lines);
}

/** Empty for zero. */
const figureOf = (amount: string): string => (/[1-9]/.test(amount) ? groupedAmount(amount) : '');

const ROW_COLUMNS: readonly [head: string, cell: (row: ListedPayout) => string][] = [
  ['document', ({ id }) => id],
  ['payout', ({ reference }) => shortId(reference)],
  ['amount', ({ amount, currency }) => `${groupedAmount(amount)} ${currency}`],
  ['fee', ({ fee, feeCurrency }) => (fee === null ? '' : `${groupedAmount(fee)} ${feeCurrency ?? ''}`)],
  ['from', ({ accountId }) => accountId],
  ['on', ({ executeOn }) => executeOn ?? ''],
  ['state', ({ state }) => state],
  ['why', (row) => (row.reason === null ? '' : kindOf(row))],
  ['since (UTC)', ({ since }) => minuteOf(Date.parse(since)).replace(/ UTC$/, '')],
];

// Commands that show data of the bank. Personal data is masked in the tables.

export async function accounts(session: Session, uid: string | undefined): Promise<void> {
  const { accounts: records } = await session.ask(ACCOUNTS, { uid });
  const rows = records.map((record) => [
    record.uid,
    record.account_id,
    record.currency,
    groupedAmount(record.balance),
    groupedAmount(record.frozen ?? ''),
  ]);
  session.output.result({ accounts: records }, table(['uid', 'account', 'currency', 'balance', 'frozen'], rows));
}

/** `payouts cash [UID]`: the cash of today and the next seven days, by account. */
export async function cash(session: Session, uid: string | undefined): Promise<void> {
  const found = await session.ask(CASH, { uid });
  const amount = (text: string): string => (/[1-9]/.test(text) ? groupedAmount(text) : '');
  const rows = found.accounts.map((line) => [
    line.accountId,
    line.currency,
    groupedAmount(line.balance),
    amount(line.atBank),
    amount(line.waiting),
    amount(sumDecimals(line.due.map((day) => day.amount))),
    groupedAmount(line.after),
  ]);
  const short = found.accounts.flatMap(({ accountId, currency, short: lack }) =>
    lack === null ? [] : [`${accountId} is short of ${groupedAmount(lack.amount)} ${currency} on ${lack.date}.`],
  );
  const notQuoted = found.notQuoted.map(
    (it) =>
      `Not included: ${groupedAmount(it.amount)} ${it.currency} from ${it.accountId}, which the bank does not quote now.`,
  );
  const shown = [
    table(['account', 'currency', 'balance', 'at the bank', 'today', 'in 7 days', 'after'], rows),
    ...short,
    ...notQuoted,
    ...(found.isPart ? ['There are more open payouts than were added up.'] : []),
    'Fees are not included. An order at the bank may have taken its money off the balance already.',
  ];
  session.output.result(found, shown.join('\n'));
}

/** `payouts beneficiaries UID [--currency C]`: ids, kinds and masked details; full details only with `--json`. */
export async function beneficiaries(session: Session, uid: string, { currency }: { currency?: string }): Promise<void> {
  const { beneficiaries: found } = await session.ask(BENEFICIARIES, { uid, currency });
  const rows = found.map(({ id, currency, beneficiary_type, payment_type, items }) => {
    const { name, account } = maskedPayee(items);
    return [id, currency, beneficiary_type, payment_type, name, account];
  });
  session.output.result(
    { beneficiaries: found },
    table(['beneficiary', 'currency', 'type', 'payment type', 'name', 'account'], rows),
  );
}

export async function orders(session: Session, uid: string, currency: string): Promise<void> {
  const scan = await session.ask(BANK_ORDERS, { uid, currency });
  const rows = scan.orders.map((order) => [
    order.order_id,
    order.client_order_id ?? '',
    order.type ?? '',
    order.status,
    groupedAmount(order.transaction_amount ?? ''),
    order.transaction_currency ?? '',
    order.fee ?? '',
  ]);
  if (scan.doubt !== null) {
    session.output.notify(
      `The list of the bank shows ${scan.doubt}. Orders of another user or currency are left out. Ask the bank why.`,
    );
  }
  session.output.result(
    { orders: scan.orders },
    table(['order', 'reference', 'type', 'status', 'amount', 'currency', 'fee'], rows),
  );
}

/** `payouts reference UID ID`: the reference of a payout, which is also the key of its workflow id. */
export function reference(
  session: Session,
  uid: string,
  id: string,
  { generation, kind }: { generation: number; kind: PayoutKind },
): void {
  const unfit = [uid, id].some((part) => part === '' || part.includes('/') || /\p{Cc}/u.test(part));
  if (unfit) {
    throw new Problem('usage', 'unfit-id', 'UID and ID must not contain "/" or control characters.', {
      hint: 'They are used byte for byte.',
    });
  }
  const value = referenceOf(uid, id, mainOrderKindOf(kind), generation);
  session.output.result({ reference: value, workflowId: payoutWorkflowId(value, kind) }, value);
}
