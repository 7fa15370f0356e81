import { factsOf } from '../../compose/report-source.ts';
import { listBatches } from '../../reports/batch-list.ts';
import { counted, groupedAmount, minuteOf, shortId } from '../../reports/display.ts';
import { kindOf } from '../../reports/next-step.ts';
import type { ListedBatch, Movements, Sums } from '../../reports/report-document.ts';
import { ReportSums } from '../../reports/report-sums.ts';
import { reportedPayout } from '../../reports/reported-payout.ts';
import { widthOf } from '../../reports/wrap.ts';
import type { PayoutRecord, PayoutSearch, Store } from '../../store/store.ts';
import type { Session } from '../session.ts';
import { filledTable, table } from '../table.ts';

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

const ROWS_LISTED = 200;
const ROWS_SUMMED = 10_000;
const READ_AT_ONCE = 500;

/**
 * `payouts list`: the batches of this store, newest first; with a filter the matching payouts, in any batch or none, and what
 * they have moved. It reads the store and boots nothing.
 */
export async function list(session: Session, options: ListOptions = {}): Promise<void> {
  const store = await session.store();
  const { state: states, kind, account: accountId, from, to: before, ended, returned: isReturned, text } = options;
  const search: PayoutSearch = {
    ...{ states, kind, accountId, from, before, text },
    ...{ endedFrom: ended?.from, endedBefore: ended?.to, isReturned },
  };
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return isFiltered ? listPayouts(session, store, search) : listAll(session, store);
}

async function listAll(session: Session, store: Store): Promise<void> {
  const { batches } = await listBatches(store);
  const heads = ['batch', 'created (UTC)', 'state', 'paid', 'for people', 'file'];
  const text = batches.length === 0 ? 'There are no batches yet.' : table(heads, batches.map(batchCells));
  session.output.result({ batches }, text);
}

const batchCells = ({ batchId, file, state, createdAt, counts, attention }: ListedBatch): string[] => [
  batchId,
  createdAt.slice(0, 16).replace('T', ' '),
  state,
  `${groupedAmount(counts.completed)}/${groupedAmount(counts.total)}`,
  attention === 0 ? '' : groupedAmount(attention),
  file,
];

async function listPayouts(session: Session, store: Store, search: PayoutSearch): Promise<void> {
  const found = await store.searchPayouts(search, ROWS_SUMMED + 1);
  const isCut = found.length > ROWS_SUMMED;
  const summed = found.slice(0, ROWS_SUMMED);
  const rows = summed.slice(0, ROWS_LISTED);
  const ids = new Set(rows.map(({ batchId }) => batchId));
  const { batches } = await listBatches(store, async ({ batchId }) => ids.has(batchId));
  const { currencies, exchanges } = await sumsOf(store, summed);
  const text =
    rows.length === 0
      ? 'No payout matches.'
      : [
          filledTable(ROW_COLUMNS, rows, widthOf(process.stdout)),
          '',
          headLine(summed.length, isCut),
          totalsTable(currencies),
        ].join('\n');
  const totals = { payouts: summed.length, isCut, currencies, exchanges };
  session.output.result({ batches, payouts: rows.map(listedPayout), totals }, text);
}

/** What the rows asked for and moved, added up as in the report of a batch. */
async function sumsOf(store: Store, rows: readonly PayoutRecord[]): Promise<Sums> {
  const sums = new ReportSums();
  for (let at = 0; at < rows.length; at += READ_AT_ONCE) {
    for (const [row, facts] of await factsOf(store, rows.slice(at, at + READ_AT_ONCE))) {
      sums.add(reportedPayout(row, facts, { workflowUrl: () => '' }));
    }
  }
  return sums.sums();
}

function headLine(count: number, isCut: boolean): string {
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

const ROW_COLUMNS: readonly [head: string, cell: (row: PayoutRecord) => string][] = [
  ['document', ({ documentId }) => documentId],
  ['payout', ({ reference }) => shortId(reference)],
  ['amount', ({ instruction }) => `${groupedAmount(instruction.amount)} ${instruction.currency}`],
  ['fee', ({ fee, feeCurrency }) => (fee === null ? '' : `${groupedAmount(fee)} ${feeCurrency ?? ''}`)],
  ['from', ({ instruction }) => instruction.account_id],
  ['on', ({ instruction }) => instruction.execute_on ?? ''],
  ['state', ({ state }) => state],
  ['why', (row) => (row.reason === null ? '' : kindOf(row))],
  ['since', ({ endedAt, updatedAt }) => minuteOf(endedAt ?? updatedAt)],
];

function listedPayout(row: PayoutRecord): object {
  const { documentId: id, reference, uid, batchId, fee, feeCurrency, instruction } = row;
  const { amount, currency } = instruction;
  const { state, reason, orderId, createdAt, updatedAt, endedAt } = row;
  const since = new Date(endedAt ?? updatedAt).toISOString();
  const at = new Date(createdAt).toISOString();
  return {
    batchId,
    row: row.row,
    uid,
    id,
    reference,
    accountId: instruction.account_id,
    executeOn: instruction.execute_on ?? null,
    amount,
    currency,
    fee,
    feeCurrency,
    state,
    reason,
    orderId,
    createdAt: at,
    since,
  };
}
