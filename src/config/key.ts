import type { z } from 'zod';

/** One setting: how its text becomes a value, what it is when nobody sets it (null: absent), and what it means. */
export interface Key<Schema extends z.ZodType, Default extends string | null> {
  schema: Schema;
  default: Default;
  meaning: string;
}

export function key<Schema extends z.ZodType, const Default extends string | null>(
  schema: Schema,
  defaultText: Default,
  meaning: string,
): Key<Schema, Default> {
  return { schema, default: defaultText, meaning };
}
