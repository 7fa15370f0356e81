import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { reportBatch } from '../../src/compose/batch-report.ts';
import { loadConfig } from '../../src/config.ts';
import type { OriginalMessage } from '../../src/domain/bank-message.ts';
import { referenceOf } from '../../src/identity.ts';
import { claimRow } from '../../src/intake/claims.ts';
import { claimRowsOf } from '../intake/rows.ts';
import { openEmptyStore } from '../support/empty-store.ts';

const MESSAGE: OriginalMessage = {
  format: 'pain.001.001.09',
  messageId: 'MSG-1',
  createdAt: '2026-03-31T10:00:00',
  transactions: '2',
  payments: [{ paymentId: 'PMT-1' }],
};
const original = (endToEndId: string) => ({ payment: 0, endToEndId, amount: '12.50', currency: 'USD' });
const UI = { url: 'http://127.0.0.1:1', namespace: 'default' };

it('rows that are paid again are answered under the message that they came by', async () => {
  const home = await mkdtemp(join(tmpdir(), 'reports-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const config = loadConfig({ PAYOUTS_HOME: home });
  const rows = claimRowsOf({ id: 'a' }, { id: 'b' }).map((row) => ({ ...row, original: original(row.instruction.id) }));
  const first = { batchId: 'batch-1', file: 'm.xml', sha256: 'x', by: null, rows, message: MESSAGE, at: 1_000 };
  await store.claimBatch(first);
  await store.changePayout(referenceOf('u-1001', 'a'), { state: 'failed', at: 2_000 });
  await store.changePayout(referenceOf('u-1001', 'b'), { state: 'completed', at: 2_000 });
  const statuses = async (batchId: string) => {
    const { reports } = await reportBatch(config, store, batchId, UI);
    const xml = await readFile(reports.pain002 ?? '', 'utf8');
    const told = [...xml.matchAll(/<OrgnlEndToEndId>(.)<\/OrgnlEndToEndId><TxSts>(.*?)<\/TxSts>/g)];
    return [basename(reports.pain002 ?? ''), ...told.map(([, id, status]) => `${id} ${status}`)];
  };
  const answer = 'batch-1.final.pain002.xml';
  expect(await statuses('batch-1')).toEqual([answer, 'a RJCT', 'b ACSC']);

  const [{ instruction } = { instruction: undefined }] = rows;
  const again = claimRow({ row: 1, instruction: instruction as never, generation: 1, original: original('a') });
  const retry = {
    batchId: 'batch-2',
    file: 'm.xml',
    sha256: 'x',
    by: null,
    rows: [again],
    retryOf: 'batch-1',
    at: 3_000,
  };
  expect(await store.claimBatch(retry)).toEqual({ claimed: true });
  expect(await statuses('batch-2')).toEqual([answer, 'a ACCP', 'b ACSC']);
  await store.changePayout(again.reference, { state: 'completed', at: 4_000 });
  expect(await statuses('batch-2')).toEqual([answer, 'a ACSC', 'b ACSC']);
  expect(await statuses('batch-1')).toEqual([answer, 'a ACSC', 'b ACSC']);
});
