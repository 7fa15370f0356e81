import { BATCHES, PAYOUTS, TOTALS, type Totals } from '../channels/http/operations/list-operations.ts';
import { counted, minuteOf, shortId, widthOf } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
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
