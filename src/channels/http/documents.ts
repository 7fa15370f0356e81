import { z } from 'zod';
import { FILE_BYTES_MAX } from '../../files/input.ts';
import { control } from '../../reports/report-document.ts';

/** Documents of the gateway, except those of batches, for its OpenAPI page; the command has the same. */

export const batchParams = z.object({ id: z.string().describe('batch id') });
export const JSON_TYPE = 'application/json; charset=utf-8';

const schemaVersion = z.literal(1);
const count = z.int();

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
  'payouts-signed': z
    .string()
    .optional()
    .describe(
      'base64url of what the maker has signed about the rows (docs/remote.md); its reference becomes the batch id',
    ),
  'content-disposition': z.string().optional().describe('attachment; filename="payroll.csv"'),
});

export const changeHeader = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .describe('one key for each change: a request that comes again with it, however late, changes nothing'),
});

const ERROR_SAYS = {
  400: 'the address, a parameter or the body cannot be used, or the maker is missing',
  401: 'the token is missing or wrong',
  408: 'the body did not arrive within 10 seconds',
  403: 'not allowed from here, or not under this name',
  404: 'nothing has this id',
  409: 'all rows were taken by a batch that has ended (batchId), or it is too late, or the key is in use',
  413: `larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB`,
  414: 'a part of the address is longer than 200 characters',
  415: 'not a file of payouts',
  422: 'the file has findings, or the plan or the request with this key is a different one',
  429: 'too many requests a minute, or at once',
  502: 'the bank refuses a read',
  503: 'the bank, Temporal or a worker does not answer; nothing was claimed',
} as const;

const EVERYWHERE = [400, 401, 403, 414, 429] as const;

export const errorAnswers = (
  ...others: Exclude<keyof typeof ERROR_SAYS, (typeof EVERYWHERE)[number]>[]
): Record<number, readonly [z.ZodType, string]> =>
  Object.fromEntries(
    [...EVERYWHERE, ...others].map((status) => [status, [errorDocument, ERROR_SAYS[status]] as const]),
  );

export const fileAnswer = (...types: string[]): object => ({
  description: 'the file',
  content: Object.fromEntries(types.map((type) => [type.split(';', 1)[0], { schema: {} }])),
});
