import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { type HistoryFile, readHistory, replayHistories } from '../../../src/platform/temporal/replay.ts';
import { installRuntime } from '../../../src/platform/temporal/worker-runtime.ts';
import { newFolder } from '../../support/new-folder.ts';
import { HISTORIES } from '../../support/record-history.ts';
import { runWorkflowsLightly } from '../../support/workflows-in-this-thread.ts';

/** More than a busy machine needs to make a worker and replay a few events; of a damaged history, it is waited out. */
const LIMIT_MS = 10_000;
const PLAIN = join(HISTORIES, 'payout-plain.json');
const EVENTS: object[] = JSON.parse(readFileSync(PLAIN, 'utf8')).events;

/** A file with these events of `payout-plain.json`, counted from 1. */
function historyWith(...numbers: number[]): HistoryFile {
  const folder = newFolder();
  const path = join(folder, `${numbers.join('-')}.json`);
  writeFileSync(path, JSON.stringify({ events: numbers.map((number) => EVENTS[number - 1]) }));
  return readHistory(path);
}

async function replayed(histories: readonly HistoryFile[], limitMs?: number): Promise<Record<string, string>> {
  installRuntime(createLog('silent'));
  runWorkflowsLightly();
  const results: Record<string, string> = {};
  for await (const { file, replayed } of replayHistories(histories, () => undefined, limitMs)) {
    results[file.file] = replayed.problem ?? 'replays';
    if (replayed.message !== '') results[file.file] += `: ${replayed.message}`;
  }
  return results;
}

it('a workflow that starts later, or whose first task runs, has nothing yet that could go otherwise', async () => {
  const started = historyWith(1);
  const running = historyWith(1, 2, 3);
  expect(await replayed([started, running])).toEqual({ '1.json': 'replays', '1-2-3.json': 'replays' });
});

it('a history that gives no result is reported after a time, and the rest is replayed', async () => {
  const damaged = historyWith(1, 2, 3, 4, 1);
  expect(await replayed([damaged, readHistory(PLAIN)], LIMIT_MS)).toEqual({
    '1-2-3-4-1.json': 'failed: gives no result within 10 s',
    'payout-plain.json': 'replays',
  });
});
