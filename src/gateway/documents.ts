import { z } from 'zod';
import { BATCH_CONTROLS, BATCH_STATES, PAYOUT_STATES } from '../domain/payout-state.ts';
import type { BatchList } from '../reports/batch-list.ts';
import type { BatchReport } from '../reports/batch-report.ts';

/** The documents of the gateway as its OpenAPI page describes them; they are those of the command. */

const schemaVersion = z.literal(1);
const decimal = z.string().describe('decimal');
const count = z.int();

const counts = z
  .object({
    total: count,
    completed: count,
    failed: count,
    rejected: count,
    cancelled: count,
    needsOperator: count,
    open: count,
  })
  .describe('each row is in exactly one');

const control = z.enum(BATCH_CONTROLS);

const batchHead = z.object({
  batchId: z.string(),
  file: z.string(),
  state: z.enum(BATCH_STATES),
  control,
  counts,
});

const instant = z.iso.datetime();
const incidentKind = z.enum(['second-order', 'order-after-end', 'end-contradicted']);
const exchange = z.object({
  orderId: z.string().nullable(),
  accountId: z.string().describe('sold from'),
  soldAmount: decimal.nullable().describe('null until it is booked'),
  soldCurrency: z.string(),
  boughtAmount: decimal.describe('as requested, until it is booked'),
  boughtCurrency: z.string(),
  boughtTo: z.string().describe('account'),
  rate: z.string().nullable().describe('as the bank writes it'),
  quotedAmount: decimal.describe('amount that the quote would have sold'),
  fee: decimal.nullable(),
  feeCurrency: z.string().nullable(),
});

const payout = z.object({
  row: count.describe('data row, from 1'),
  uid: z.string(),
  id: z.string().describe('document number'),
  reference: z.string(),
  workflowId: z.string(),
  state: z.enum(PAYOUT_STATES),
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
  fee: decimal.nullable().describe('the booked fee; null until known'),
  feeCurrency: z.string().nullable(),
  exchange: exchange.nullable().describe('null: none is needed, or none is known yet'),
  handedOverAt: instant,
  executeOn: z.string().nullable().describe('requested date'),
  submittedAt: instant.nullable(),
  settledAt: instant.nullable(),
  endedAt: instant.nullable().describe('paid or not'),
  maker: z.string().nullable(),
  approvals: z.array(z.object({ by: z.string(), at: instant, where: z.enum(['before-submit', 'at-bank']) })),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  open: z
    .object({ why: z.string(), who: z.string(), until: instant.nullable() })
    .nullable()
    .describe('null: it has ended'),
  returns: z.array(z.object({ orderId: z.string(), amount: decimal, currency: z.string() })),
  incidents: z.array(
    z.object({ id: z.string(), kind: incidentKind, orderId: z.string(), isAcknowledged: z.boolean() }),
  ),
  url: z.string().describe('in the Temporal UI'),
});

const moved = {
  currency: z.string(),
  payouts: count,
  amount: decimal.describe('requested'),
  completed: decimal,
  fees: decimal.describe('booked, of payments and exchanges'),
  sold: decimal,
  bought: decimal,
  returned: decimal,
};

export const batchDocument: z.ZodType<BatchReport> = batchHead.extend({
  schemaVersion,
  by: z.string().nullable().describe('the maker'),
  handedOverAt: instant,
  asOf: instant.describe('time of the newest change in it'),
  masked: z.boolean(),
  controlReason: z.string().nullable().describe('why it was paused automatically'),
  totals: z.array(z.object({ currency: z.string(), amount: decimal, completed: decimal })),
  states: z.array(z.object({ state: z.enum(PAYOUT_STATES), currency: z.string(), payouts: count, amount: decimal })),
  accounts: z.array(z.object({ accountId: z.string(), ...moved })),
  currencies: z.array(z.object(moved)),
  exchanges: z.array(
    z.object({
      accountId: z.string(),
      soldCurrency: z.string(),
      boughtCurrency: z.string(),
      exchanges: count,
      sold: decimal,
      bought: decimal,
      quoted: decimal,
    }),
  ),
  payouts: z.array(payout),
  incidents: z.array(
    z.object({
      row: count.nullable(),
      reference: z.string(),
      orderId: z.string(),
      kind: incidentKind,
      message: z.string(),
      id: z.string().describe('for `payouts acknowledge`'),
      acknowledged: z
        .object({ by: z.string(), reason: z.string(), at: z.iso.datetime() })
        .nullable()
        .describe('null: nobody has acknowledged it'),
    }),
  ),
  refused: z
    .array(
      z.object({
        row: count,
        line: count,
        findings: z.array(z.object({ column: z.string().nullable(), rule: z.string(), message: z.string() })),
      }),
    )
    .describe('rows of the file that did not become payouts of this batch'),
  reports: z
    .object({
      csv: z.string(),
      json: z.string(),
      html: z.string(),
      failed: z.string().optional(),
      pain002: z.string().optional(),
      pain002Stages: z.array(z.string()).optional(),
    })
    .describe('paths on the machine of the gateway'),
});

export const batchList: z.ZodType<BatchList> = z.object({
  schemaVersion,
  batches: z.array(
    batchHead.extend({ createdAt: z.iso.datetime(), attention: count.describe('rows that wait for people') }),
  ),
});

export const planDocument = z.object({
  schemaVersion,
  plan: z.looseObject({ hash: z.string(), payouts: count, totals: z.array(z.unknown()) }),
  findings: z.array(z.unknown()),
  warnings: z.array(z.unknown()),
});

export const controlDocument = z.object({ schemaVersion, batchId: z.string(), control });

const partState = z.enum(['up', 'down']);
export const readiness = z.object({
  schemaVersion,
  ready: z.boolean(),
  parts: z.object({ store: partState, temporal: partState, bank: partState }),
  warnings: z.array(z.string()).describe('parts that work but need attention'),
});

const finding = z.looseObject({
  file: z.string(),
  line: count,
  row: count.nullable(),
  column: z.string().nullable(),
  value: z.string().nullable().describe('masked'),
  rule: z.string(),
  message: z.string(),
});

export const errorDocument = z.object({
  schemaVersion,
  error: z.object({ code: z.string(), message: z.string(), hint: z.string(), batchId: z.string().optional() }),
  findings: z.array(finding),
});

export const idempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .describe('the same key and request get the same answer for 30 days; another request with the key gets 422'),
  'content-disposition': z.string().optional().describe('attachment; filename="payroll.csv"'),
});

const ERROR_SAYS = {
  400: 'a parameter cannot be used, or the maker is missing',
  401: 'the token is missing or wrong',
  408: 'the body did not arrive within 10 seconds',
  403: 'not allowed from here, or not under this name',
  404: 'nothing has this id',
  409: 'all rows were taken by a batch that has ended (batchId), or it is too late, or the key is in use',
  413: 'larger than 64 MiB',
  415: 'not a file of payouts',
  422: 'the file has findings, or the plan or the request with this key is a different one',
  429: 'too many requests a minute, or at once',
  502: 'the bank refuses a read',
  503: 'the bank, Temporal or a worker does not answer; nothing was claimed',
} as const;

/** Whatever is asked for. */
const EVERYWHERE = [401, 403, 429] as const;

export const errorAnswers = (
  ...others: Exclude<keyof typeof ERROR_SAYS, (typeof EVERYWHERE)[number]>[]
): Record<number, readonly [z.ZodType, string]> =>
  Object.fromEntries(
    [...EVERYWHERE, ...others].map((status) => [status, [errorDocument, ERROR_SAYS[status]] as const]),
  );
