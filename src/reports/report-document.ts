import { z } from 'zod';
import { BATCH_CONTROLS, BATCH_STATES, SHOWN_STATES } from '../domain/payout-state.ts';
import { INCIDENTS, type IncidentKind } from '../domain/reconciliation.ts';

/**
 * Documents of `--json` and the gateway, as types and for the OpenAPI page. Amounts are exact decimals, times ISO 8601 in UTC;
 * null means unknown or not applicable. Fixed by test/e2e/documents.ts.
 */

const schemaVersion = z.literal(1);
const decimal = z.string();
const count = z.int();

const counts = z
  .object({
    total: count,
    completed: count,
    failed: count,
    rejected: count,
    cancelled: count,
    returned: count.describe('completed, and all of the money came back'),
    needsOperator: count,
    open: count,
  })
  .meta({ id: 'Counts', description: 'each row is in exactly one' });

export const control = z.enum(BATCH_CONTROLS).meta({ id: 'Control' });

const batchHead = z.object({
  batchId: z.string(),
  file: z.string(),
  state: z.enum(BATCH_STATES).meta({ id: 'BatchState' }),
  control,
  counts,
});

export const payoutState = z.enum(SHOWN_STATES).meta({ id: 'PayoutState' });
const instant = z.iso.datetime();
/** Why something is where it is. */
export const reasonDocument = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Reason' });
const incidentKind = z.enum(Object.keys(INCIDENTS) as IncidentKind[]).meta({ id: 'IncidentKind' });
const exchange = z.object({
  orderId: z.string().nullable(),
  accountId: z.string().describe('sold from'),
  soldAmount: decimal.nullable().describe('once it is booked'),
  soldCurrency: z.string(),
  boughtAmount: decimal.describe('once it is booked, that'),
  boughtCurrency: z.string(),
  boughtTo: z.string().describe('account'),
  rate: z.string().nullable().describe('as the bank writes it'),
  quotedAmount: decimal.describe('sold by the quote'),
  fee: decimal.nullable(),
  feeCurrency: z.string().nullable(),
});

const payout = z
  .object({
    row: count.describe('data row, from 1'),
    uid: z.string(),
    id: z.string().describe('document number'),
    reference: z.string(),
    workflowId: z.string(),
    state: payoutState,
    orderId: z.string().nullable(),
    payee: z.object({
      name: z.string().nullable(),
      account: z.string().nullable().describe('masked'),
      beneficiaryId: z.string().nullable(),
    }),
    accountId: z.string(),
    payingAccountId: z.string().nullable().describe('in the currency of the payout'),
    amount: decimal,
    currency: z.string(),
    fee: decimal.nullable().describe('once it is booked'),
    feeCurrency: z.string().nullable(),
    exchange: exchange.nullable(),
    handedOverAt: instant,
    executeOn: z.string().nullable().describe('requested date'),
    submittedAt: instant.nullable(),
    settledAt: instant.nullable(),
    endedAt: instant.nullable().describe('paid or not'),
    maker: z.string().nullable(),
    approvals: z.array(z.object({ by: z.string(), at: instant, where: z.enum(['before-submit', 'at-bank']) })),
    reason: reasonDocument.nullable(),
    open: z
      .object({ why: z.string(), who: z.string(), until: instant.nullable() })
      .nullable()
      .describe('null: it has ended'),
    returns: z.array(
      z.object({
        ...{ orderId: z.string(), amount: decimal, currency: z.string() },
        why: z.string().nullable().describe('in the words of the bank'),
      }),
    ),
    incidents: z.array(
      z.object({ id: z.string(), kind: incidentKind, orderId: z.string(), isAcknowledged: z.boolean() }),
    ),
    url: z.string().describe('in the Temporal UI'),
  })
  .meta({ id: 'ReportedPayout' });

/** What payouts have moved in one currency; exchanges count once they are booked. */
const movements = z
  .object({
    currency: z.string(),
    payouts: count,
    amount: decimal.describe('requested'),
    completed: decimal,
    fees: decimal.describe('booked, of payments and exchanges'),
    sold: decimal,
    bought: decimal,
    returned: decimal,
  })
  .meta({ id: 'Movements' });

/** What the bank shows that contradicts a stored end. */
export const incidentDocument = z
  .object({
    /** Null for a payout without a batch. */
    row: count.nullable(),
    reference: z.string(),
    orderId: z.string(),
    kind: incidentKind,
    message: z.string(),
    id: z.string().describe('by which it is acknowledged'),
    acknowledged: z
      .object({ by: z.string(), reason: z.string(), at: z.iso.datetime() })
      .nullable()
      .describe('null: nobody has acknowledged it'),
  })
  .meta({ id: 'Incident' });

export const batchDocument = batchHead
  .extend({
    schemaVersion,
    by: z.string().nullable().describe('the maker'),
    handedOverAt: instant,
    // Not the current time, so that the same store gives the same bytes.
    asOf: instant.describe('of the newest change'),
    masked: z.boolean(),
    controlReason: z.string().nullable().describe('why it was paused automatically'),
    totals: z.array(z.object({ currency: z.string(), amount: decimal, completed: decimal })),
    states: z.array(z.object({ state: payoutState, currency: z.string(), payouts: count, amount: decimal })),
    accounts: z.array(movements.and(z.object({ accountId: z.string() }))),
    currencies: z.array(movements),
    exchanges: z.array(
      z
        .object({
          accountId: z.string(),
          soldCurrency: z.string(),
          boughtCurrency: z.string(),
          exchanges: count,
          sold: decimal,
          bought: decimal,
          /** What would have been sold at the quotes. */
          quoted: decimal,
        })
        .meta({ id: 'Exchanges' }),
    ),
    /** In the order of the file. */
    payouts: z.array(payout),
    incidents: z.array(incidentDocument),
    refused: z
      .array(
        z.object({
          row: count,
          line: count,
          findings: z.array(z.object({ column: z.string().nullable(), rule: z.string(), message: z.string() })),
        }),
      )
      .describe('rows that did not become payouts of it'),
    reports: z
      .object({
        csv: z.string(),
        json: z.string(),
        html: z.string(),
        /** Rows that are proven unpaid or were refused, for submitting again; absent if there are none. */
        failed: z.string().optional(),
        /** Answer to the batch's pain.001 at its current stage; only for such a batch. */
        pain002: z.string().optional(),
        /** Answers of all stages so far, the latest last. */
        pain002Stages: z.array(z.string()).optional(),
      })
      .describe('addresses, relative to that of the gateway; of the command: paths'),
  })
  .meta({ id: 'BatchReport' });

export const listedBatch = batchHead
  .extend({
    createdAt: z.iso.datetime(),
    attention: count.describe('rows that wait for people'),
    incidents: count.describe('that nobody has acknowledged'),
  })
  .meta({ id: 'Batch' });

export const batchList = z.object({ schemaVersion, batches: z.array(listedBatch) });

/** What payouts have moved, by currency. */
export const movementTotals = z.object({
  currencies: batchDocument.shape.currencies,
  exchanges: batchDocument.shape.exchanges,
});

export type BatchReport = z.output<typeof batchDocument>;
/** A row of the report; `columns.ts` has its columns. */
export type ReportedPayout = z.output<typeof payout>;
export type ReportedExchange = z.output<typeof exchange>;
export type ReportedIncident = BatchReport['incidents'][number];
/** A row that did not become a payout of this batch. */
export type ReportedRefusal = BatchReport['refused'][number];
/** Absolute paths. */
export type ReportPaths = BatchReport['reports'];
export type Sums = Pick<BatchReport, 'counts' | 'totals' | 'states' | 'accounts' | 'currencies' | 'exchanges'>;
export type StateTotal = Sums['states'][number];
export type AccountMovements = Sums['accounts'][number];
export type Movements = Sums['currencies'][number];
export type ExchangeTotal = Sums['exchanges'][number];
/** The document of `list`, newest first. */
export type BatchList = z.output<typeof batchList>;
export type ListedBatch = BatchList['batches'][number];

/** Returned money: `12.00 EUR (the account of the payee is closed (AC04)); 3.00 EUR`; empty if there was none. */
export function returnedText({ returns }: ReportedPayout): string {
  return returns
    .map(({ amount, currency, why }) => `${amount} ${currency}${why === null ? '' : ` (${why})`}`)
    .join('; ');
}

/** Incidents of one payout: `second-order ord-9; end-contradicted ord-1 acknowledged`; empty if there are none. */
export function incidentsText(incidents: ReportedPayout['incidents']): string {
  return incidents
    .map(({ kind, orderId, isAcknowledged }) => `${kind} ${orderId}${isAcknowledged ? ' acknowledged' : ''}`)
    .join('; ');
}

/** Status of an incident: its id while it is open, then who acknowledged it and why. */
export function acknowledgementText({ id, acknowledged }: ReportedIncident): string {
  return acknowledged === null ? id : `acknowledged by ${acknowledged.by}: ${acknowledged.reason}`;
}
