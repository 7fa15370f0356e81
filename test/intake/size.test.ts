import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CHECK = fileURLToPath(new URL('./fixtures/check-rows.ts', import.meta.url));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'payouts-size-'));
});
afterAll(() => rm(dir, { recursive: true }));

function* csv(rows: number): Generator<string> {
  yield 'id,uid,account_id,amount,currency,beneficiary_id,note\n';
  for (let n = 0; n < rows; n += 1) {
    yield `INV-${n},u-1001,acc-u1001-usd,${1 + (n % 90)}.${10 + (n % 90)},USD,ben-u1001-usd-local,invoice ${n} of this month\n`;
  }
}

/** Two thirds of it are the program; rows that are kept take half as much again for 50,000 of them, and the process ends. */
const HEAP_MB = 29;

it(`checks 50,000 rows in a heap of ${HEAP_MB} MB`, async () => {
  const path = join(dir, 'large.csv');
  await pipeline(csv(50_000), createWriteStream(path));
  const { stdout } = await promisify(execFile)(process.execPath, [`--max-old-space-size=${HEAP_MB}`, CHECK, path]);
  expect(stdout.trim()).toBe('50000');
});
