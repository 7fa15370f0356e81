import { type ListedBatch, listBatches } from '../../reports/batch-list.ts';
import { groupedAmount, minuteOf } from '../../reports/display.ts';
import { kindOf, shortId } from '../../reports/next-step.ts';
import type { PayoutRecord, PayoutSearch, Store } from '../../store/store.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';

/** What `list` is asked for besides everything. */
export interface ListOptions {
  state?: PayoutSearch['states'];
  kind?: string;
  account?: string;
  /** Epoch ms of a day's first moment. */
  from?: number;
  /** Epoch ms of the first moment behind the last day. */
  to?: number;
  text?: string;
}

const ROWS_LISTED = 200;

/**
 * `payouts list`: the batches of this store, newest first; with a filter the payouts that it lets through, of every batch and of
 * none. It reads the store and boots nothing.
 */
export async function list(session: Session, options: ListOptions = {}): Promise<ExitCode> {
  const store = await session.store();
  const { state: states, kind, account: accountId, from, to: before, text } = options;
  const search: PayoutSearch = { states, kind, accountId, from, before, text };
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return isFiltered ? listPayouts(session, store, search) : listAll(session, store);
}

async function listAll(session: Session, store: Store): Promise<ExitCode> {
  const { batches } = await listBatches(store);
  const heads = ['batch', 'created (UTC)', 'state', 'paid', 'for people', 'file'];
  const text = batches.length === 0 ? 'No batch yet.' : table(heads, batches.map(batchCells));
  session.output.result({ schemaVersion: 1, batches }, text);
  return EXIT.completed;
}

const batchCells = ({ batchId, file, state, createdAt, counts, attention }: ListedBatch): string[] => [
  batchId,
  createdAt.slice(0, 16).replace('T', ' '),
  state,
  `${groupedAmount(`${counts.completed}`)}/${groupedAmount(`${counts.total}`)}`,
  attention === 0 ? '' : groupedAmount(`${attention}`),
  file,
];

async function listPayouts(session: Session, store: Store, search: PayoutSearch): Promise<ExitCode> {
  const found = await store.searchPayouts(search, ROWS_LISTED + 1);
  const rows = found.slice(0, ROWS_LISTED);
  const ids = new Set(rows.map(({ batchId }) => batchId));
  const { batches } = await listBatches(store, async ({ batchId }) => ids.has(batchId));
  const heads = ['document', 'payout', 'amount', 'from', 'state', 'why', 'since'];
  const more =
    found.length > ROWS_LISTED ? `\nThe newest ${ROWS_LISTED} are shown; a further filter shows others.` : '';
  const text = rows.length === 0 ? 'No payout is like that.' : `${table(heads, rows.map(rowCells))}${more}`;
  session.output.result({ schemaVersion: 1, batches, payouts: rows.map(listedPayout) }, text);
  return EXIT.completed;
}

function rowCells(row: PayoutRecord): string[] {
  const { documentId, reference, amount, currency, instruction, state, reason, updatedAt, endedAt } = row;
  return [
    documentId,
    shortId(reference),
    `${groupedAmount(amount)} ${currency}`,
    instruction.account_id,
    state,
    reason === null ? '' : kindOf(row),
    minuteOf(endedAt ?? updatedAt),
  ];
}

function listedPayout(row: PayoutRecord): object {
  const { documentId: id, reference, uid, batchId, amount, currency, instruction, state, reason, orderId } = row;
  const { createdAt, updatedAt, endedAt } = row;
  const since = new Date(endedAt ?? updatedAt).toISOString();
  const at = new Date(createdAt).toISOString();
  return {
    batchId,
    row: row.row,
    uid,
    id,
    reference,
    accountId: instruction.account_id,
    amount,
    currency,
    state,
    reason,
    orderId,
    createdAt: at,
    since,
  };
}
