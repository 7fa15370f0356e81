import { z } from 'zod';
import { holdsCardNumber } from '../domain/card-number.ts';
import { Problem } from '../domain/problem.ts';

/** Text of a caller that is kept and shown to people. */
export const keptText = z
  .string()
  .min(1)
  .max(200)
  .refine(isKeepable, 'must not contain a card number or control characters');

/** PostgreSQL has no NUL in a text, and a terminal obeys what it is shown. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

function isKeepable(text: string): boolean {
  return !hasControls(text) && !holdsCardNumber(text);
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Most routes answer with the same few documents, and to convert them is a third of what a gateway costs to start. */
const converted = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

/** As the OpenAPI document holds it (3.1: JSON Schema as zod itself writes it); the same object for the same schema. */
export function jsonSchema(schema: z.ZodType, io: keyof typeof converted = 'input'): JsonSchema {
  const known = converted[io].get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  converted[io].set(schema, rest);
  return rest;
}

/** Answers by status: their document and what it means. */
export function answerSchemas(answers: Readonly<Record<number, readonly [z.ZodType, string]>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, [schema, description]]) => [
      status,
      { description, content: { 'application/json': { schema: jsonSchema(schema, 'output') } } },
    ]),
  );
}

/** Throws a `Problem` that names the members, never their values; nor names of a body, which may be anything. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  what: 'query' | 'body' = 'query',
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const places = result.error.issues.map(({ code, path, message }) => {
    const unknown = what === 'body' && code === 'unrecognized_keys';
    return [...path.map(String), unknown ? 'contains an unknown member' : message].join(': ');
  });
  throw new Problem('usage', 'usage', `The ${what} cannot be used: ${places.slice(0, 5).join('; ')}.`, {
    hint: 'GET /openapi.json describes it.',
  });
}
