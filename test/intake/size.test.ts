import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CHECK = fileURLToPath(new URL('./fixtures/peak-of-check.ts', import.meta.url));

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

async function peakOf(rows: number): Promise<number> {
  const path = join(dir, `${rows}.csv`);
  await pipeline(csv(rows), createWriteStream(path));
  const { stdout } = await promisify(execFile)(process.execPath, [CHECK, path]);
  const checked = JSON.parse(stdout) as { rows: number; peakKiB: number };
  expect(checked.rows).toBe(rows);
  return checked.peakKiB;
}

it('checks 100,000 rows in at most 1.5 times the memory of 10,000', async () => {
  const small = await peakOf(10_000);
  const large = await peakOf(100_000);
  expect(large / small).toBeLessThan(1.5);
});
