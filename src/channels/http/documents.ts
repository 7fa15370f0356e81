import { z } from 'zod';
import { holdsCardNumber } from '../../domain/card-number.ts';
import { INSTRUCTION_FIELDS } from '../../domain/instruction.ts';
import { Problem } from '../../domain/problem.ts';
import { FILE_BYTES_MAX } from '../../files/input.ts';
import { control } from '../../reports/report-document.ts';

/** Documents of the gateway, except those of batches, for its OpenAPI page; the command has the same. */

export const batchParams = z.object({ id: z.string() });
/** Media type of errors: https://www.rfc-editor.org/rfc/rfc9457 */
export const PROBLEM_TYPE = 'application/problem+json';
export const JSON_TYPE = 'application/json; charset=utf-8';

const schemaVersion = z.literal(1);
const count = z.int();

export const planDocument = z
  .object({
    schemaVersion,
    plan: z.looseObject({ hash: z.string(), payouts: count, totals: z.array(z.unknown()) }),
    findings: z.array(z.unknown()),
    warnings: z.array(z.unknown()),
  })
  .meta({ id: 'Plan' });

export const controlDocument = z.object({ schemaVersion, batchId: z.string(), control }).meta({ id: 'BatchControl' });

const partState = z.enum(['up', 'down']);
export const readiness = z
  .object({
    schemaVersion,
    ready: z.boolean(),
    parts: z.object({ store: partState, temporal: partState, bank: partState, workers: partState.optional() }),
    warnings: z.array(z.string()).describe('parts that work but need attention'),
  })
  .meta({ id: 'Readiness' });

const finding = z
  .object({
    file: z.string(),
    line: count,
    row: count.nullable(),
    column: z.string().nullable(),
    value: z.string().nullable().describe('masked'),
    rule: z.string(),
    message: z.string(),
    path: z.string().optional().describe('in an XML document'),
    more: count.optional().describe('rows with the same that are not listed'),
  })
  .meta({ id: 'Finding' });

/** RFC 9457 with members of our own; `schemaVersion`, `error` and `findings` are those of every channel. */
export const errorDocument = z
  .object({
    type: z.string().describe('one for each code'),
    title: z.string(),
    status: count,
    detail: z.string(),
    instance: z.string().describe('this request'),
    code: z.string(),
    hint: z.string().describe('what to do about it; may be empty'),
    batchId: z.string().optional(),
    requestId: z.uuid().describe('also the header x-request-id'),
    schemaVersion,
    error: z.object({ code: z.string(), message: z.string(), hint: z.string(), batchId: z.string().optional() }),
    findings: z.array(finding),
    pain002: z.string().optional().describe('the answer to a pain.001 that was refused'),
  })
  .meta({
    id: 'Problem',
    examples: [
      {
        type: 'urn:durable-payouts:problem:unknown-id',
        title: 'Not found',
        status: 404,
        detail: 'Nothing was found for "INV-9".',
        instance: 'urn:uuid:0d1f7b1e-6a55-4c0f-9a2b-4d0d3a1c2b3a',
        code: 'unknown-id',
        hint: '`GET /v1/batches` shows batches.',
        requestId: '0d1f7b1e-6a55-4c0f-9a2b-4d0d3a1c2b3a',
        error: {
          code: 'unknown-id',
          message: 'Nothing was found for "INV-9".',
          hint: '`GET /v1/batches` shows batches.',
        },
        findings: [],
      },
    ],
  });

export const instructionDocument = z
  .object(Object.fromEntries(INSTRUCTION_FIELDS.map((name) => [name, z.string().optional()])))
  .catchall(z.string())
  .meta({
    id: 'Instruction',
    description:
      'One payout. Members as the columns of a file (docs/input.md); a payee has the fields that the bank asks for.',
    examples: [
      {
        id: 'INV-2041',
        uid: 'u-1001',
        account_id: 'acc-u1001-usd',
        amount: '1250.00',
        currency: 'USD',
        beneficiary_id: 'ben-u1001-usd-local',
      },
    ],
  });
const idempotencyKey = z
  .string()
  .optional()
  .describe('the same key within 30 days: nothing changes, and the answer is the same');

export const idempotencyHeader = z.object({
  'idempotency-key': idempotencyKey,
  'payouts-signed': z
    .string()
    .optional()
    .describe('base64url of the SignedDecision of the maker; its reference becomes the batch id'),
  'payouts-quotes': z.string().optional().describe('base64url of `quotes` of the plan that was signed'),
});

export const changeHeader = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .describe('one for each change: the same key again changes nothing, however late'),
});

export const ERROR_SAYS = {
  400: 'unusable, or no maker',
  401: 'no valid token',
  403: 'not allowed',
  404: 'nothing has this id',
  408: 'the body took more than 10 seconds',
  409: 'a batch that has ended has these rows (batchId), too late, or the key is in use',
  413: `over ${FILE_BYTES_MAX / 1024 / 1024} MiB`,
  414: 'address too long',
  415: 'not a file of payouts',
  422: 'findings, or another plan or request with this key',
  429: 'too many requests',
  502: 'the bank refuses a read',
  503: 'a part does not answer; nothing was claimed',
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

/** Text from a caller that is stored and shown to people. */
export const storableText = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (text) => !hasControls(text) && !holdsCardNumber(text),
    'must not contain a card number or control characters',
  );

/** The same for a field that may be left empty. */
export const optionalText = z.union([z.literal('').transform(() => undefined), storableText]).optional();

/** PostgreSQL allows no NUL in texts, and control characters steer a terminal. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

/** The most entries of a page; what a number can be beyond it, nobody is near to. */
export const PAGE_MAX = 1_000;

type JsonSchema = Readonly<Record<string, unknown>>;

/** Cached: most routes share a few documents, and converting them is a third of a gateway's start-up time. */
const converted = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

/** Documents with a name (`.meta({ id })`), of all schemas that were converted. */
export const namedSchemas: Record<string, JsonSchema> = {};

/** JSON Schema for OpenAPI 3.1; the same object for the same schema. What has a name is referred to. */
export function jsonSchema(schema: z.ZodType, io: keyof typeof converted = 'input'): JsonSchema {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const written = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/'), (_name, value) =>
    tidied(value, io),
  );
  Object.assign(namedSchemas, $defs);
  converted[io].set(schema, rest);
  return rest;
}

/**
 * A schema, or anything else, without what says nothing or is said once for all: the bounds of every integer and every text, the
 * pattern of a format, the version of every document. A reader of answers allows new members.
 */
function tidied(value: unknown, io: keyof typeof converted): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const it = value as z.core.JSONSchema.BaseSchema;
  if ((it.minimum ?? 2) <= 1) delete it.minimum;
  if ((it.maximum ?? 0) > PAGE_MAX) delete it.maximum;
  if (it.minLength === 1) delete it.minLength;
  if ((it.maxLength ?? 0) >= 35) delete it.maxLength;
  if (io === 'output' && it.properties !== undefined && Object.keys(it.properties).length === 0) delete it.properties;
  if (typeof it.format === 'string') delete it.pattern;
  if (io === 'output' || it.additionalProperties === false) delete it.additionalProperties;
  if (it.readOnly === true) delete it.readOnly;
  if (it.properties?.schemaVersion !== undefined) {
    delete it.properties.schemaVersion;
    it.required = it.required?.filter((name) => name !== 'schemaVersion');
  }
  // Of a query everything is text; who writes one gives the value.
  if (Array.isArray(it.type) && it.type.join() === 'boolean,string') return { ...it, type: 'boolean' };
  const [one, other, ...more] = Array.isArray(it.anyOf) && it.anyOf.length === 2 ? it.anyOf : [];
  if (one === undefined || other === undefined || more.length > 0 || typeof one.type !== 'string') return it;
  const { anyOf: _, ...rest } = it;
  if (one.type === 'boolean' && other.type === 'string') return { ...rest, type: 'boolean' };
  return other.type === 'null' && one.enum === undefined ? { ...one, ...rest, type: [one.type, 'null'] } : it;
}

/** Documents by status, each with its meaning and, where that is not JSON, its media type. */
export function answerSchemas(
  answers: Readonly<Record<number, readonly [schema: z.ZodType, description: string, type?: string]>>,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, [schema, description, type = JSON_TYPE]]) => {
      const [media = type] = (schema === errorDocument ? PROBLEM_TYPE : type).split(';', 1);
      return [status, { description, content: { [media]: { schema: jsonSchema(schema, 'output') } } }];
    }),
  );
}

/** What is wrong with a member, without its value. Undefined: the text of the library is used. */
function said(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      // A missing parameter becomes NaN where a number is required.
      return Number.isNaN(issue.input) ? 'must be given as a number' : `must be of the type ${issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string')
        return issue.input === '' ? 'must not be empty' : `is shorter than ${issue.minimum}`;
      return issue.origin === 'array' ? 'has too few entries' : `must be at least ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `is longer than ${issue.maximum} characters`;
      return issue.origin === 'array' ? `has more than ${issue.maximum} entries` : `must be at most ${issue.maximum}`;
    case 'invalid_format':
    case 'invalid_union':
      return 'does not have the form that it must have';
    case 'unrecognized_keys':
      return `unknown: ${issue.keys.map((name) => JSON.stringify(name)).join(', ')}`;
    default:
      return undefined;
  }
}

/** Throws a `Problem` that names members but never their values; for a body no names either, since they may be anything. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  what: 'query' | 'body' | 'form' = 'query',
): z.output<Schema> {
  const result = schema.safeParse(given, { error: said });
  if (result.success) return result.data;
  const places = result.error.issues.map(({ code, path, message }) => {
    const unknown = what !== 'query' && code === 'unrecognized_keys';
    return [...path.map(String), unknown ? 'contains an unknown member' : message].join(': ');
  });
  throw new Problem('usage', 'usage', `The ${what} cannot be used: ${places.slice(0, 5).join('; ')}.`, {
    hint: what === 'form' ? 'Correct it and send it again.' : 'GET /openapi.json describes it.',
  });
}
