import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { signedRows } from '../../src/cli/signed-rows.ts';
import type { Signer } from '../../src/cli/signer.ts';
import type { SignedDecision } from '../../src/domain/authority.ts';
import { claimRow } from '../../src/files/intake/claims.ts';
import { signablePlan } from '../../src/people/signing/plan.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { fakeSession } from '../support/fake-session.ts';

const ROWS = [
  { id: 'A-1', uid: 'u-1', account_id: 'acc', amount: '1.00', currency: 'EUR', beneficiary_id: 'ben' },
  { id: 'A-2', uid: 'u-1', account_id: 'acc', amount: '2.00', currency: 'EUR', beneficiary_id: 'ben' },
];
const CSV = [Object.keys(ROWS[0] ?? {}), ...ROWS.map((row) => Object.values(row))].map((it) => it.join(',')).join('\n');
const planned = ROWS.map((instruction, index) => {
  const { reference, payloadDigest: digest } = claimRow({ row: index + 1, instruction });
  return { reference, digest, generation: 0 };
});
const [first, second] = planned as [(typeof planned)[0], (typeof planned)[0]];
/** The second row, paid again. */
const again = {
  ...second,
  generation: 1,
  reference: claimRow({ row: 2, instruction: ROWS[1] as never, generation: 1 }).reference,
};
const dearer = claimRow({ row: 1, instruction: { ...(ROWS[0] as never as object), amount: '9001.00' } as never });

const signer: Signer = { name: 'alice', sign: (about) => ({ ...about, subject: 'alice' }) as SignedDecision };

async function signedOf(rows: typeof planned, by = signer): Promise<SignedDecision | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'signed-rows-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'payroll.csv');
  writeFileSync(file, `${CSV}\n`);
  return signedRows(fakeSession({ config: loadConfig({}), output: { say() {} } }), by, file, rows);
}

it.each([
  ['all rows', planned],
  ['some of them', [second]],
  ['one that is paid again', [first, again]],
])('signs %s of the file', async (_what, rows) => {
  expect(await signedOf(rows)).toMatchObject({ question: 'make', digest: signablePlan(rows).digest });
});

it.each([
  ['another amount', { reference: first.reference, digest: dearer.payloadDigest, generation: 0 }],
  ['another reference', { ...first, reference: second.reference }],
  ['another generation', { ...first, generation: 1 }],
])('signs nothing of which a row has %s than the file', async (_what, row) => {
  expect(await signedOf([row, second])).toBeUndefined();
});

it('signs nothing without a policy', async () => {
  expect(await signedOf(planned, { name: 'alice' })).toBeUndefined();
});
