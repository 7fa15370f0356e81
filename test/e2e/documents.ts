import { z } from 'zod';
import type { Ended } from '../support/command.ts';

/** The documents of `--json`, written from the contract and strict: a member more or less is a break of it. */

const count = z.int().nonnegative();
const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const kebabCase = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const absolutePath = z.string().regex(/^\//);

const counts = z
  .strictObject({
    total: count,
    completed: count,
    failed: count,
    rejected: count,
    cancelled: count,
    returned: count,
    needsOperator: count,
    open: count,
  })
  .refine(
    ({ total, ...parts }) => Object.values(parts).reduce((sum, part) => sum + part, 0) === total,
    'each row is in exactly one count',
  );

const batchState = z.enum([
  'open',
  'paused',
  'cancelling',
  'needs-operator',
  'completed',
  'completed-with-exceptions',
  'cancelled',
]);

const control = z.enum(['running', 'paused', 'draining', 'cancelling']);

const currency = z.string().length(3);
const instant = z.iso.datetime();
const payout = z.strictObject({
  payee: z.strictObject({
    name: z.string().nullable(),
    account: z.string().startsWith('***').nullable(),
    beneficiaryId: z.string().nullable(),
  }),
  accountId: z.string(),
  payingAccountId: z.string().nullable(),
  exchange: z
    .strictObject({
      orderId: z.string().nullable(),
      accountId: z.string(),
      soldAmount: decimal.nullable(),
      soldCurrency: currency,
      boughtAmount: decimal,
      boughtCurrency: currency,
      boughtTo: z.string(),
      rate: decimal.nullable(),
      quotedAmount: decimal,
      fee: decimal.nullable(),
      feeCurrency: currency.nullable(),
    })
    .nullable(),
  handedOverAt: instant,
  executeOn: z.iso.date().nullable(),
  submittedAt: instant.nullable(),
  settledAt: instant.nullable(),
  endedAt: instant.nullable(),
  maker: z.string().nullable(),
  approvals: z.array(z.strictObject({ by: z.string(), at: instant, where: z.enum(['before-submit', 'at-bank']) })),
  open: z.strictObject({ why: z.string().min(1), who: z.string(), until: instant.nullable() }).nullable(),
  incidents: z.array(
    z.strictObject({ id: z.string(), kind: kebabCase, orderId: z.string(), isAcknowledged: z.boolean() }),
  ),
  row: z.int().positive(),
  uid: z.string(),
  id: z.string(),
  reference: z.uuid(),
  workflowId: z.string().startsWith('payout/'),
  state: kebabCase,
  orderId: z.string().nullable(),
  amount: decimal,
  currency: z.string().length(3),
  fee: decimal.nullable(),
  feeCurrency: z.string().length(3).nullable(),
  reason: z.strictObject({ code: kebabCase, message: z.string().min(1) }).nullable(),
  returns: z.array(
    z.strictObject({
      ...{ orderId: z.string(), amount: decimal, currency: z.string().length(3) },
      why: z.string().nullable(),
    }),
  ),
  url: z.url(),
});

const moved = {
  currency,
  payouts: count,
  amount: decimal,
  completed: decimal,
  fees: decimal,
  sold: decimal,
  bought: decimal,
  returned: decimal,
};

const batchDocument = z.strictObject({
  schemaVersion: z.literal(1),
  batchId: z.string().min(1),
  file: z.string().min(1),
  state: batchState,
  control,
  controlReason: z.string().nullable(),
  by: z.string().nullable(),
  handedOverAt: instant,
  asOf: instant,
  masked: z.boolean(),
  states: z.array(z.strictObject({ state: kebabCase, currency, payouts: count, amount: decimal })),
  accounts: z.array(z.strictObject({ accountId: z.string(), ...moved })),
  currencies: z.array(z.strictObject(moved)),
  exchanges: z.array(
    z.strictObject({
      accountId: z.string(),
      soldCurrency: currency,
      boughtCurrency: currency,
      exchanges: count,
      sold: decimal,
      bought: decimal,
      quoted: decimal,
    }),
  ),
  counts,
  totals: z.array(z.strictObject({ currency: z.string().length(3), amount: decimal, completed: decimal })),
  payouts: z.array(payout),
  incidents: z.array(
    z.strictObject({
      row: z.int().positive(),
      reference: z.uuid(),
      orderId: z.string(),
      kind: kebabCase,
      message: z.string().min(1),
      id: z.string().regex(/^inc-[0-9a-f]{12}$/),
      acknowledged: z.strictObject({ by: z.string(), reason: z.string(), at: z.iso.datetime() }).nullable(),
    }),
  ),
  refused: z.array(
    z.strictObject({
      row: z.int().positive(),
      line: z.int().positive(),
      findings: z.array(z.strictObject({ column: z.string().nullable(), rule: kebabCase, message: z.string().min(1) })),
    }),
  ),
  reports: z.strictObject({
    csv: absolutePath,
    json: absolutePath,
    html: absolutePath,
    failed: absolutePath.optional(),
    pain002: absolutePath.optional(),
    pain002Stages: z.array(absolutePath).optional(),
  }),
});

const listDocument = z.strictObject({
  schemaVersion: z.literal(1),
  batches: z.array(
    z.strictObject({
      batchId: z.string(),
      file: z.string(),
      state: batchState,
      control,
      createdAt: z.iso.datetime(),
      counts,
      attention: count,
      incidents: count,
    }),
  ),
  payouts: z.array(z.looseObject({ reference: z.uuid() })).optional(),
});

const finding = z.strictObject({
  file: z.string(),
  line: z.int().positive(),
  row: z.int().positive().nullable(),
  column: z.string().nullable(),
  value: z.string().nullable(),
  rule: kebabCase,
  message: z.string().min(1),
  path: z.string().startsWith('/').optional(),
  cell: z
    .string()
    .regex(/^[A-Z]{1,3}\d+$/)
    .optional(),
});

const errorDocument = z.strictObject({
  schemaVersion: z.literal(1),
  error: z.strictObject({
    code: kebabCase,
    message: z.string().min(1),
    hint: z.string(),
    batchId: z.string().optional(),
  }),
  findings: z.array(finding),
  reports: z.strictObject({ pain002: absolutePath }).optional(),
});

export type BatchDocument = z.infer<typeof batchDocument>;
export type ErrorDocument = z.infer<typeof errorDocument>;

export const batchOf = (ended: Ended): BatchDocument => documentOf(ended, batchDocument);
export const listOf = (ended: Ended): z.infer<typeof listDocument> => documentOf(ended, listDocument);
export const errorOf = (ended: Ended): ErrorDocument => documentOf(ended, errorDocument);

/** The one document on stdout. Throws with all that was printed when there is none, or more than one. */
function documentOf<T>({ code, stdout, stderr }: Ended, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(jsonOf(stdout));
  if (parsed.success) return parsed.data;
  throw new Error(`exit ${code}: ${z.prettifyError(parsed.error)}\nstdout: ${stdout}\nstderr: ${stderr}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
