import { z } from 'zod';
import { PAYOUT_KINDS } from '../../../domain/names.ts';
import { MOMENT_MAX } from '../../../domain/time.ts';
import { listBatches } from '../../../reports/batch-list.ts';
import { hindranceTexts } from '../../../reports/hindrances.ts';
import { type ListedPayout, listedPayout, listedPayoutOf } from '../../../reports/payout-document.ts';
import {
  type BatchList,
  batchList,
  type ListedBatch,
  listedBatch,
  movementTotals,
  payoutState,
  type Sums,
} from '../../../reports/report-document.ts';
import { factsOf } from '../../../reports/report-source.ts';
import { ReportSums } from '../../../reports/report-sums.ts';
import { reportedPayout } from '../../../reports/reported-payout.ts';
import {
  cursorBehind,
  isCursor,
  PAYOUT_ORDERS,
  type PayoutCursor,
  type PayoutOrder,
  type PayoutSearch,
} from '../../../store/payout-search.ts';
import type { PayoutRecord, Store } from '../../../store/store.ts';
import { maySee, maySeePayout, payoutsSeenBy, seesAll } from '../may-see.ts';
import {
  listOf,
  operation,
  optionalFlag,
  type Place,
  pathId,
  shortText,
  visibleBatch,
  wholeNumber,
} from '../operation.ts';
import { decoded, encoded, next, noCursor, page, placeIn } from '../paging.ts';
import { ANY_ROLE } from '../route-access.ts';

export const BATCHES = operation({
  method: 'GET',
  path: '/v1/batches',
  tag: 'batches',
  summary: 'Batches, newest first',
  access: ANY_ROLE,
  input: z.strictObject(page),
  answer: batchList.extend({ next }),
  async run({ store, caller }, { limit, after }): Promise<Omit<BatchList, 'schemaVersion'> & { next: string | null }> {
    const behind = after === undefined ? undefined : batchAt(placeIn(after));
    const { batches, last } = await listBatches(store, (batch) => maySee(caller, store, batch), { limit, behind });
    return { batches, next: last === undefined ? null : encoded([last.createdAt, last.batchId]) };
  },
});

const batchAt = ([createdAt, batchId]: [number, string]) => ({ createdAt, batchId });

export const HINDRANCES = operation({
  method: 'GET',
  path: '/v1/hindrances',
  tag: 'health',
  summary: 'What is in the way of all payouts now',
  access: ANY_ROLE,
  input: z.strictObject({}),
  answer: z.looseObject({ hindrances: z.array(z.string()) }),
  run: async (place): Promise<{ hindrances: string[] }> => ({
    hindrances: await hindranceTexts(place, { seesAll: seesAll(place.caller) }),
  }),
});

const moment = z
  .union([z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)), wholeNumber(0, MOMENT_MAX)], {
    error: 'must be ISO 8601 with an offset, or milliseconds since the epoch',
  })
  .meta({ type: 'string', anyOf: undefined })
  .optional();

const filter = {
  states: listOf(payoutState).optional().describe('separated by commas'),
  kinds: listOf(z.enum(PAYOUT_KINDS)).optional().describe('separated by commas'),
  reason: shortText.optional().describe('reason code or state'),
  uid: shortText.optional(),
  id: shortText.optional().describe('your own document number'),
  accountId: shortText.optional(),
  currency: shortText.optional(),
  from: moment.describe('times: ISO 8601 with an offset, or ms since the epoch'),
  before: moment,
  endedFrom: moment,
  endedBefore: moment,
  isReturned: optionalFlag.describe('money came back'),
  text: shortText.optional().describe('part of an id or of the name of a file'),
};

const order = z.enum(PAYOUT_ORDERS).default('newest');
const payoutPage = z.object({ payouts: z.array(listedPayout), next }).meta({ id: 'PayoutPage' });

interface PayoutPageAnswer {
  payouts: ListedPayout[];
  next: string | null;
}

export const PAYOUTS = operation({
  method: 'GET',
  path: '/v1/payouts',
  tag: 'payouts',
  summary: 'The payouts that match',
  description:
    'A reader of all pages sees each payout once, whatever changes meanwhile, unless a filter by state or end no longer fits it.',
  access: ANY_ROLE,
  input: z.strictObject({ ...filter, order, ...page }),
  answer: payoutPage,
  run: (place, { order, limit, after, ...asked }) => pageOf(place, searchOf(asked), { order, limit, after }),
});

export const BATCH_PAYOUTS = operation({
  method: 'GET',
  path: '/v1/batches/:id/payouts',
  tag: 'batches',
  summary: 'The payouts of a batch, in the order of its file',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId, states: filter.states, ...page }),
  answer: payoutPage,
  async run(place, { id, states, limit, after }) {
    const { batchId } = await visibleBatch(place, id);
    return pageOf(place, { batchId, states }, { order: 'oldest', limit, after });
  },
});

type Filter = z.output<z.ZodObject<typeof filter>>;

const searchOf = ({ id: documentId, ...search }: Filter): PayoutSearch => ({ ...search, documentId });

async function pageOf(
  { store, caller }: Place,
  search: PayoutSearch,
  { order, limit, after }: { order: PayoutOrder; limit: number; after: string | undefined },
): Promise<PayoutPageAnswer> {
  const seenBy = payoutsSeenBy(caller);
  const behind = after === undefined ? undefined : payoutCursor(after, order);
  const read = await store.searchPayouts({ ...search, seenBy }, { order, after: behind, limit: limit + 1 });
  const rows = read.slice(0, limit);
  const last = rows.at(-1);
  return {
    payouts: rows.filter((row) => maySeePayout(caller, row)).map(listedPayoutOf),
    next: read.length <= limit || last === undefined ? null : encoded([order, ...cursorBehind(last, order)]),
  };
}

/** A cursor of another order would skip or repeat payouts. */
function payoutCursor(text: string, order: PayoutOrder): PayoutCursor {
  const [ofOrder, ...cursor] = decoded(text);
  if (ofOrder === order && isCursor(cursor, order)) return cursor;
  throw noCursor();
}

export interface Totals {
  /** Of the newest payouts that match. */
  batches: ListedBatch[];
  /** Of all that match, or of the newest ones of them (`isCut`). */
  totals: { payouts: number; isCut: boolean } & Pick<Sums, 'currencies' | 'exchanges'>;
}

const ROWS_SUMMED = 10_000;
const READ_AT_ONCE = 500;
/** How many of the newest name the batches. */
const NAMED = 200;

export const TOTALS = operation({
  method: 'GET',
  path: '/v1/payout-totals',
  tag: 'payouts',
  summary: 'What the payouts that match have moved, and the batches of the newest',
  access: ANY_ROLE,
  input: z.strictObject(filter),
  answer: z.object({
    batches: z.array(listedBatch),
    totals: movementTotals.extend({ payouts: z.int(), isCut: z.boolean().describe('only the newest were added up') }),
  }),
  run: (place, asked): Promise<Totals> => totalsOf(place, searchOf(asked)),
});

async function totalsOf({ store, caller }: Place, search: PayoutSearch): Promise<Totals> {
  const read = await store.searchPayouts({ ...search, seenBy: payoutsSeenBy(caller) }, { limit: ROWS_SUMMED + 1 });
  const summed = read.slice(0, ROWS_SUMMED).filter((row) => maySeePayout(caller, row));
  const ids = new Set(summed.slice(0, NAMED).map(({ batchId }) => batchId));
  const { batches } = await listBatches(
    store,
    async (batch) => ids.has(batch.batchId) && (await maySee(caller, store, batch)),
    { limit: NAMED },
  );
  const { currencies, exchanges } = await sumsOf(store, summed);
  return { batches, totals: { payouts: summed.length, isCut: read.length > ROWS_SUMMED, currencies, exchanges } };
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
