import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { originOf, rotateLogKey, signLog } from '../../../src/platform/audit/open-audit-log.ts';
import { exportedLines } from '../../../src/platform/audit/read-log.ts';
import { verifierOf } from '../../../src/store/audit/checkpoint.ts';
import { newStore, openEmptyStore } from '../../support/empty-store.ts';
import { folderOfFile } from '../../support/new-folder.ts';

// Somebody else's reading of the standards. Python is needed: without it the first test fails, and says so.

const CHECK = join(import.meta.dirname, 'independent_check.py');
const PYTHON = process.env.PAYOUTS_TEST_PYTHON ?? 'python3';
const hasPackage = spawnSync(PYTHON, ['-c', 'import aics_tlog']).status === 0;

const SIZES = [1, 2, 3, 7, 8, 21];
const folder = folderOfFile();
let lines: string[];

beforeAll(async () => {
  const store = await openEmptyStore();
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const verifier = verifierOf(originOf(store), key);
  for (let n = 1; n <= 21; n += 1) {
    const detail = { reason: `“ünïcode” \u2028 \u0001 \\ ${'𝒳'.repeat(n)}`, n: `${n}` };
    await store.audit({ at: n, actor: 'zoë', action: 'act', subject: `s-${n}`, detail });
    if (SIZES.includes(n)) await signLog(store, { key, verifier }, n);
  }
  const text = (await Array.fromAsync(exportedLines(store, verifier))).join('');
  lines = text.trimEnd().split('\n');
  await store.close();
});

function checked(some: readonly string[], ...with_: string[]): { entries: number; agree: boolean[] } {
  const file = join(folder, 'export.jsonl');
  writeFileSync(file, some.map((line) => `${line}\n`).join(''));
  return JSON.parse(execFileSync(PYTHON, [CHECK, file, ...with_], { encoding: 'utf8', stdio: 'pipe' }));
}

const CHECKPOINTS = SIZES.length + 1;

it("is a log to Python's standard library: entries, tree hashes, key and signatures", () => {
  expect(checked(lines)).toEqual({ entries: 21, agree: Array(CHECKPOINTS).fill(true) });
  const edited = lines.map((line) => line.replace('"n":"10"', '"n":"11"'));
  // The frame is of size 21; of the others those of sizes 1 to 8 are of entries before the edited one.
  expect(checked(edited).agree).toEqual([false, true, true, true, true, true, false]);
});

it('whose key was replaced is a log too: each checkpoint to the key of its size', async () => {
  const store = await newStore();
  const [first, second] = [0, 1].map(() => {
    const { privateKey: key } = generateKeyPairSync('ed25519');
    return { key, verifier: verifierOf(originOf(store), key) };
  });
  if (first === undefined || second === undefined) throw new Error('there are two keys');
  const act = (n: number) => store.audit({ at: n, actor: 'zoë', action: 'act', subject: 's', detail: {} });
  await act(1);
  await signLog(store, first, 1);
  await rotateLogKey(store, first, { key: second.key, by: 'carol', now: 2 });
  await act(3);
  await signLog(store, second, 3);
  const text = (await Array.fromAsync(exportedLines(store, second.verifier))).join('');
  expect(checked(text.trimEnd().split('\n'))).toEqual({ entries: 3, agree: [true, true, true, true] });
});

it.skipIf(!hasPackage)('is a log to aics-tlog (pip install aics-tlog, with Python 3.12 or later)', () => {
  expect(checked(lines, 'tlog')).toEqual({ entries: 21, agree: Array(CHECKPOINTS).fill(true) });
});
