import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { readJsonOnce } from '../../bank/json.ts';
import { plainText, quotesProblem } from '../../domain/plain-text.ts';
import { ConfigError } from './key.ts';

/** What a JSON file holds. Throws a `ConfigError` about the setting that names it, with `hint`, if it is unusable. */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>, setting: string, hint: string): T {
  let json: unknown;
  let text = '';
  try {
    text = plainText(readFileSync(path));
    json = readJsonOnce(text);
  } catch {
    const why = quotesProblem(text);
    const what = 'is not a readable JSON file in which each member appears once';
    throw new ConfigError(setting, why === undefined ? what : `${what} (${why})`, hint);
  }
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data;
  const [first] = error.issues;
  const where = first?.path.join('.') || 'the whole';
  throw new ConfigError(setting, `is a file with the wrong structure (${where}: ${first?.message})`, hint);
}
