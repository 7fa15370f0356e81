import { z } from 'zod';
import { PAYOUT_STATES } from '../domain/payout-state.ts';
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

const control = z.enum(['running', 'paused', 'draining', 'cancelling']);

const batchHead = z.object({
  batchId: z.string(),
  file: z.string(),
  state: z.enum([
    'open',
    'paused',
    'cancelling',
    'needs-operator',
    'completed',
    'completed-with-exceptions',
    'cancelled',
  ]),
  control,
  counts,
});

const payout = z.object({
  row: count.describe('data row, from 1'),
  uid: z.string(),
  id: z.string().describe('document number'),
  reference: z.string(),
  workflowId: z.string(),
  state: z.enum(PAYOUT_STATES),
  orderId: z.string().nullable(),
  amount: decimal,
  currency: z.string(),
  fee: decimal.nullable().describe('the booked fee; null until known'),
  feeCurrency: z.string().nullable(),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  returns: z.array(z.object({ orderId: z.string(), amount: decimal, currency: z.string() })),
  url: z.string().describe('in the Temporal UI'),
});

export const batchDocument: z.ZodType<BatchReport> = batchHead.extend({
  schemaVersion,
  controlReason: z.string().nullable().describe('why it was paused by itself'),
  totals: z.array(z.object({ currency: z.string(), amount: decimal, completed: decimal })),
  payouts: z.array(payout),
  incidents: z.array(
    z.object({
      row: count.nullable(),
      reference: z.string(),
      orderId: z.string(),
      kind: z.enum(['second-order', 'order-after-end', 'end-contradicted']),
      message: z.string(),
      id: z.string().describe('for `payouts acknowledge`'),
      acknowledged: z
        .object({ by: z.string(), reason: z.string(), at: z.iso.datetime() })
        .nullable()
        .describe('null: nobody has seen to it'),
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
    .describe('rows of the file that are no payouts of this batch'),
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
  warnings: z.array(z.string()).describe('what is up and wants to be looked at'),
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
    .describe('the same key and request get the same answer again, for 30 days; another request under it gets 422'),
  'content-disposition': z.string().optional().describe('attachment; filename="payroll.csv"'),
});

const ERROR_SAYS = {
  400: 'a parameter cannot be used, or the maker is not known',
  401: 'the token is missing or wrong',
  408: 'the body did not arrive within 10 seconds',
  403: 'not from here, or not under this name',
  404: 'nothing is known under this id',
  409: 'every row was taken by a batch that has ended (batchId), or it is too late, or the key is in use',
  413: 'larger than 64 MiB',
  415: 'no file of payouts',
  422: 'the file breaks rules (findings), or the plan or the request under the key is another one',
  502: 'the bank refuses a read',
  503: 'bank, Temporal or worker do not answer; nothing was claimed',
} as const;

export const errorAnswers = (...statuses: (keyof typeof ERROR_SAYS)[]): Record<number, readonly [z.ZodType, string]> =>
  Object.fromEntries(statuses.map((status) => [status, [errorDocument, ERROR_SAYS[status]] as const]));
