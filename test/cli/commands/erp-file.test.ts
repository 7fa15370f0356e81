import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createOutput } from '../../../src/cli/output.ts';
import { erpFile } from '../../../src/cli/report-files.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { claimRowsOf } from '../../files/intake/rows.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { newFolder } from '../../support/new-folder.ts';

const MESSAGE = {
  format: 'pain.001.001.09',
  messageId: 'MSG-1',
  createdAt: '2026-03-31T10:00:00',
  transactions: '12',
  payments: [{ paymentId: 'PMT-1' }],
} as const;

/** A batch of twelve payouts that are paid, and what a command writes to stdout and stderr. */
async function open(json: boolean) {
  const home = newFolder();
  const store = await newStore();
  const ids = Array.from({ length: 12 }, (_, index) => ({ id: `INV-${index + 1}` }));
  const rows = claimRowsOf(...ids).map((row) => ({
    ...row,
    original: { payment: 0, endToEndId: row.instruction.id, amount: '12.50', currency: 'USD' },
  }));
  const message = { ...MESSAGE, payments: [...MESSAGE.payments] };
  await store.claimBatch({ batchId: 'batch-1', file: 'm.xml', sha256: 'x', by: null, rows, message, at: 1_000 });
  for (const { reference, instruction } of rows) {
    const { amount, currency } = instruction;
    const paid = { orderId: 'order-1', amount, currency };
    await store.changePayout(reference, { state: 'completed', paid, fee: '1.00', feeCurrency: 'GBP', at: 2_000 });
  }
  const said = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    ({ write: (text: string) => (said[name] += text) }) as unknown as NodeJS.WriteStream;
  const output = createOutput({ json, stdout: into('stdout'), stderr: into('stderr') });
  const session = { config: loadConfig({ PAYOUTS_HOME: home }), store: async () => store, output };
  return { store, said, references: rows.map(({ reference }) => reference), session: fakeSession(session) };
}

it('prints the path of a journal alone, and beside it what people have to check', async () => {
  const { session, said } = await open(false);
  expect(await erpFile(session, 'batch-1', 'journal')).toBeUndefined();
  expect(await readFile(said.stdout.trimEnd(), 'utf8')).toMatch(/^entry,line,/);
  const lines = said.stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(12);
  expect(lines[0]).toBe('Check these manually: it is not known what moved, or the bank contradicts it.');
  expect(lines[1]).toBe('  INV-1: fee: it is in a currency for which the payout has no account');
  expect(lines.at(-1)).toBe('  and 2 more; --json lists all of them');
});

it('lists everything in its document', async () => {
  const { session, said } = await open(true);
  await erpFile(session, 'batch-1', 'camt054');
  const document = JSON.parse(said.stdout);
  expect(document).toMatchObject({ batchId: 'batch-1', format: 'camt054' });
  expect(document.unclear).toHaveLength(12);
});

it('says of an answer which one it is, and which one it supersedes', async () => {
  const { session, said, store, references } = await open(false);
  await erpFile(session, 'batch-1', 'pain002');
  const [, first] = /^Answer (\S+), stage final\n$/.exec(said.stderr) ?? [];
  expect(first).toBeDefined();
  const [reference = ''] = references;
  await store.recordReturn({ reference, orderId: 'r-1', amount: '12.50', currency: 'USD', seenAt: 3_000 });
  said.stderr = '';
  await erpFile(session, 'batch-1', 'pain002');
  expect(said.stderr).toMatch(new RegExp(`^Answer \\S+\\.2, stage final, version 2: supersedes ${first}\\n$`));
  expect(said.stdout.trimEnd().split('\n').at(-1)).toMatch(/batch-1\.final\.2\.pain002\.xml$/);
});
