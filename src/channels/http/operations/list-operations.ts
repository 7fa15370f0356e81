import { z } from 'zod';
import { PAYOUT_STATES } from '../../../domain/payout-state.ts';
import { listBatches } from '../../../reports/batch-list.ts';
import { hindranceTexts } from '../../../reports/hindrances.ts';
import { type BatchList, batchList, type ListedBatch, type Sums } from '../../../reports/report-document.ts';
import { factsOf } from '../../../reports/report-source.ts';
import { ReportSums } from '../../../reports/report-sums.ts';
import { reportedPayout } from '../../../reports/reported-payout.ts';
import type { PayoutRecord, Store } from '../../../store/store.ts';
import { maySee, maySeePayout, payoutsSeenBy, seesAll } from '../may-see.ts';
import { listOf, operation, optionalFlag, type Place, shortText, wholeNumber } from '../operation.ts';
import { ANY_ROLE } from '../route-access.ts';

export const BATCHES = operation({
  method: 'GET',
  path: '/v1/batches',
  tag: 'batches',
  summary: 'The newest batches, newest first',
  access: ANY_ROLE,
  input: z.strictObject({}),
  answer: batchList,
  run: ({ store, caller }): Promise<BatchList> => listBatches(store, (batch) => maySee(caller, store, batch)),
});

export const HINDRANCES = operation({
  method: 'GET',
  path: '/v1/hindrances',
  tag: 'health',
  summary: 'What is in the way of all payouts now: a bank that does not answer, or that nobody works',
  access: ANY_ROLE,
  input: z.strictObject({}),
  answer: z.looseObject({ hindrances: z.array(z.string()) }),
  run: async (place): Promise<{ hindrances: string[] }> => ({
    hindrances: await hindranceTexts(place, { seesAll: seesAll(place.caller) }),
  }),
});

export interface FoundPayouts {
  /** Of the rows. */
  batches: ListedBatch[];
  /** The newest ones. */
  rows: PayoutRecord[];
  /** Of all that match, or of the newest ones of them (`isCut`). */
  totals: { payouts: number; isCut: boolean } & Pick<Sums, 'currencies' | 'exchanges'>;
}

export const ROWS_LISTED = 200;
const ROWS_SUMMED = 10_000;
const READ_AT_ONCE = 500;

const moment = wholeNumber(0, 8_640_000_000_000_000).optional();

export const PAYOUTS = operation({
  method: 'GET',
  path: '/v1/payouts',
  tag: 'payouts',
  summary: 'The payouts that match, newest first, and what they have moved',
  description: 'Moments are in milliseconds since the epoch; the one after a period is not part of it.',
  access: ANY_ROLE,
  input: z.strictObject({
    states: listOf(z.enum(PAYOUT_STATES)).optional(),
    reason: shortText.optional().describe('reason code or state'),
    accountId: shortText.optional(),
    from: moment.describe('of being submitted'),
    before: moment,
    endedFrom: moment,
    endedBefore: moment,
    isReturned: optionalFlag,
    text: shortText.optional().describe('part of an id or of the name of a file'),
  }),
  answer: z.looseObject({ batches: z.array(z.unknown()), rows: z.array(z.looseObject({})), totals: z.looseObject({}) }),
  run: (place, search): Promise<FoundPayouts> => found(place, search),
});

async function found({ store, caller }: Place, search: z.output<typeof PAYOUTS.input>): Promise<FoundPayouts> {
  const read = await store.searchPayouts({ ...search, seenBy: payoutsSeenBy(caller) }, { limit: ROWS_SUMMED + 1 });
  const summed = read.slice(0, ROWS_SUMMED).filter((row) => maySeePayout(caller, row));
  const rows = summed.slice(0, ROWS_LISTED);
  const ids = new Set(rows.map(({ batchId }) => batchId));
  const { batches } = await listBatches(
    store,
    async (batch) => ids.has(batch.batchId) && (await maySee(caller, store, batch)),
  );
  const { currencies, exchanges } = await sumsOf(store, summed);
  return {
    batches,
    rows,
    totals: { payouts: summed.length, isCut: read.length > ROWS_SUMMED, currencies, exchanges },
  };
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
