import { join } from 'node:path';
import { z } from 'zod';
import { DAY_MS } from '../../domain/durations.ts';
import { readJsonFile, writeJsonFile } from './whole-file.ts';

/** Why and when (Unix time, ms) a home's Temporal server was replaced; kept beside the server's own files, for `payouts doctor`. */
const replacement = z.object({ at: z.number(), why: z.string() });

export type Replacement = z.infer<typeof replacement>;

const file = (home: string): string => join(home, 'replacements.json');

/** Of the last 24 hours, oldest first. */
export function recentReplacements(home: string, now: number): Replacement[] {
  return (readJsonFile(file(home), z.array(replacement)) ?? []).filter(({ at }) => at > now - DAY_MS);
}

export function recordReplacement(home: string, made: Replacement): void {
  writeJsonFile(file(home), [...recentReplacements(home, made.at), made]);
}
