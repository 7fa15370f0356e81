import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** Writes a JSON file by rename: a reader sees either the old or the new one. */
export function writeJsonFile(path: string, value: unknown): void {
  const fresh = `${path}.${randomUUID()}`;
  writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

/** The parsed file; undefined if it is missing or has another shape. */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
