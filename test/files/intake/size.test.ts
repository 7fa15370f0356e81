import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { folderOfFile } from '../../support/new-folder.ts';

const CHECK = fileURLToPath(new URL('./fixtures/check-rows.ts', import.meta.url));

const dir = folderOfFile();
function* csv(rows: number): Generator<string> {
  yield 'id,uid,account_id,amount,currency,beneficiary_id,note\n';
  for (let n = 0; n < rows; n += 1) {
    yield `INV-${n},u-1001,acc-u1001-usd,${1 + (n % 90)}.${10 + (n % 90)},USD,ben-u1001-usd-local,invoice ${n} of this month\n`;
  }
}

const ROWS = 20_000;
/** Bytes: without a row it is 1.3 million, and with all of them 7 million and more. */
const MOST = 3_000_000;

it(`keeps none of ${ROWS} rows in memory`, async () => {
  const path = join(dir, 'large.csv');
  await pipeline(csv(ROWS), createWriteStream(path));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', CHECK, path]);
  const [claims, inUse] = stdout.trim().split(' ').map(Number);
  expect(claims).toBe(ROWS);
  expect(inUse).toBeLessThan(MOST);
});
