import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './home.ts';
import { lastPorts } from './ports.ts';

/** How a running stack describes itself to other commands, in `stack.json` of the home. */
const description = z.object({
  temporalAddress: z.string(),
  namespace: z.string(),
  uiUrl: z.string().nullable(),
  apiUrl: z.string(),
  gatewayUrl: z.string().nullable(),
  /** The process that owns the stack. */
  pid: z.int(),
  /** The embedded Temporal server; null for a cluster. */
  temporalPid: z.int().nullable(),
  temporal: z.enum(['embedded', 'cluster']),
  bank: z.enum(['sandbox', 'remote']),
  /** It is up until it is interrupted, and does not end with one batch. Earlier builds did not say. */
  stays: z.boolean().default(true),
});

export type StackDescription = z.infer<typeof description>;

const file = (home: string): string => join(home, 'stack.json');

export const writeStackFile = (home: string, stack: StackDescription): void => writeJsonFile(file(home), stack);

export const readStackFile = (home: string): StackDescription | undefined => readJsonFile(file(home), description);

/** Web UI of the stack that is up, else of the last embedded one; undefined if there never was one. */
export function lastUiUrl(home: string): string | undefined {
  const ui = lastPorts(home)?.ui;
  return readStackFile(home)?.uiUrl ?? (ui === undefined ? undefined : `http://127.0.0.1:${ui}`);
}

export const removeStackFile = (home: string): void => rmSync(file(home), { force: true });
