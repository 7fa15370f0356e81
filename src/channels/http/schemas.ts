import { z } from 'zod';
import { holdsCardNumber } from '../../domain/card-number.ts';
import { Problem } from '../../domain/problem.ts';

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

type JsonSchema = Readonly<Record<string, unknown>>;

/** Cached: most routes share a few documents, and converting them is a third of a gateway's start-up time. */
const converted = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

/** JSON Schema for OpenAPI 3.1, as zod writes it; the same object for the same schema. */
export function jsonSchema(schema: z.ZodType, io: keyof typeof converted = 'input'): JsonSchema {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  converted[io].set(schema, rest);
  return rest;
}

/** Documents by status, each with its meaning. */
export function answerSchemas(answers: Readonly<Record<number, readonly [z.ZodType, string]>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, [schema, description]]) => [
      status,
      { description, content: { 'application/json': { schema: jsonSchema(schema, 'output') } } },
    ]),
  );
}

/** Throws a `Problem` that names members but never their values; for a body no names either, since they may be anything. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  what: 'query' | 'body' | 'form' = 'query',
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const places = result.error.issues.map(({ code, path, message }) => {
    const unknown = what !== 'query' && code === 'unrecognized_keys';
    return [...path.map(String), unknown ? 'contains an unknown member' : message].join(': ');
  });
  throw new Problem('usage', 'usage', `The ${what} cannot be used: ${places.slice(0, 5).join('; ')}.`, {
    hint: what === 'form' ? 'Correct it and send it again.' : 'GET /openapi.json describes it.',
  });
}
