import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import type { OriginalMessage } from '../../src/domain/bank-message.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { claimRow } from '../../src/files/intake/known-rows.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { writeErpFile } from '../../src/reports/erp-file.ts';
import { reportBatch } from '../../src/reports/report-batch.ts';
import { claimRowsOf } from '../files/intake/rows.ts';
import { newStore } from '../support/empty-store.ts';
import { newFolder } from '../support/new-folder.ts';

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
  const home = newFolder();
  const store = await newStore();
  const config = loadConfig({ PAYOUTS_HOME: home });
  const rows = claimRowsOf({ id: 'a' }, { id: 'b' }).map((row) => ({ ...row, original: original(row.instruction.id) }));
  const first = { batchId: 'batch-1', file: 'm.xml', sha256: 'x', by: null, rows, message: MESSAGE, at: 1_000 };
  await store.claimBatch(first);
  await store.changePayout(referenceOf('u-1001', 'a'), { state: 'failed', at: 2_000 });
  await store.changePayout(referenceOf('u-1001', 'b'), { state: 'completed', at: 2_000 });
  const statuses = async (batchId: string) => {
    const { reports } = (await reportBatch({ config, store, ui: UI }, batchId)).head;
    const xml = await readFile(reports.pain002 ?? '', 'utf8');
    const reported = [...xml.matchAll(/<OrgnlEndToEndId>(.)<\/OrgnlEndToEndId><TxSts>(.*?)<\/TxSts>/g)];
    return [basename(reports.pain002 ?? ''), ...reported.map(([, id, status]) => `${id} ${status}`)];
  };
  expect(await statuses('batch-1')).toEqual(['m-1970-01-01-batch-1.final.pain002.xml', 'a RJCT', 'b ACSC']);

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
  expect(await statuses('batch-2')).toEqual(['m-1970-01-01-batch-1.final.2.pain002.xml', 'a ACCP']);
  await store.changePayout(again.reference, { state: 'completed', at: 4_000 });
  const last = ['m-1970-01-01-batch-1.final.3.pain002.xml', 'a ACSC'];
  expect(await statuses('batch-2')).toEqual(last);
  expect(await statuses('batch-1')).toEqual(last);
});

it('what comes to light after the answer is reported by one that supersedes it', async () => {
  const home = newFolder();
  const store = await newStore();
  const config = loadConfig({ PAYOUTS_HOME: home });
  const rows = claimRowsOf({ id: 'a' }, { id: 'b' }, { id: 'c' });
  const claimed = rows.map((row) => ({ ...row, original: original(row.instruction.id) }));
  const batch = {
    batchId: 'batch-1',
    file: 'm.xml',
    sha256: 'x',
    by: null,
    rows: claimed,
    message: MESSAGE,
    at: 1_000,
  };
  await store.claimBatch(batch);
  const [a, b, c] = ['a', 'b', 'c'].map((id) => referenceOf('u-1001', id));
  for (const reference of [a, b, c]) await store.changePayout(reference ?? '', { state: 'completed', at: 2_000 });
  const newest = async () => {
    const { answer, path } = await writeErpFile({ config, store }, 'batch-1', 'pain002');
    return { answer, xml: await readFile(path, 'utf8') };
  };
  const first = await newest();
  expect(first.answer).toMatchObject({ stage: 'final', version: 1, supersedes: null });

  await store.recordReturn({ reference: b ?? '', orderId: 'r-1', amount: '12.50', currency: 'USD', seenAt: 3_000 });
  const second = await newest();
  expect(second.answer).toMatchObject({ version: 2, supersedes: first.answer?.messageId });
  expect(second.xml.match(/<TxSts>.*?<\/TxSts>/g)).toEqual(['<TxSts>PDNG</TxSts>']);
  expect(second.xml).toContain('<AddtlInf>returned: money came back: 12.50 USD by order r-1</AddtlInf>');

  await store.recordIncident({ kind: 'second-order', reference: c ?? '', orderId: 'o-9', seenAt: 4_000 });
  const third = await newest();
  expect(third.answer).toMatchObject({ version: 3, supersedes: second.answer?.messageId });
  expect(third.xml.match(/<OrgnlEndToEndId>.*?</g)).toEqual(['<OrgnlEndToEndId>c<']);
  expect(await newest()).toEqual(third);
});

it('a batch that was no pain.001 has no answer', async () => {
  const store = await newStore();
  await store.claimBatch({
    batchId: 'batch-1',
    file: 'm.csv',
    sha256: 'x',
    by: null,
    rows: claimRowsOf({ id: 'a' }),
    at: 1,
  });
  const config = loadConfig({ PAYOUTS_HOME: newFolder() });
  await expect(writeErpFile({ config, store }, 'batch-1', 'pain002')).rejects.toMatchObject({
    code: 'nothing-to-answer',
  });
});
