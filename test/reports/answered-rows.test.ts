import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { OriginalMessage } from '../../src/domain/bank-message.ts';
import { because } from '../../src/domain/reasons.ts';
import { claimRow } from '../../src/files/intake/known-rows.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { writeErpFile } from '../../src/reports/erp-file.ts';
import type { ClaimRow, Store } from '../../src/store/store.ts';
import { claimRowsOf } from '../files/intake/rows.ts';
import { newStore } from '../support/empty-store.ts';
import { newFolder } from '../support/new-folder.ts';

/** What the answers to messages say of rows, when the bank contradicts an end that another batch or generation had. */

const messageOf = (messageId: string): OriginalMessage => ({
  ...{ format: 'pain.001.001.09', messageId, createdAt: '2026-03-31T10:00:00', transactions: '2' },
  payments: [{ paymentId: 'PMT-1' }],
});

const FAILED = { state: 'failed', reason: because('bank-failed'), at: 2_000 } as const;

/** A row of a message, under its id. */
function rowOf(id: string): ClaimRow {
  const [row] = claimRowsOf({ id });
  if (row === undefined) throw new Error('no row');
  return { ...row, original: { payment: 0, endToEndId: id, amount: '12.50', currency: 'USD' } };
}

async function setUp(): Promise<{ store: Store; answer(batchId: string): Promise<string[]> }> {
  const home = newFolder();
  const store = await newStore();
  const config = loadConfig({ PAYOUTS_HOME: home });
  const status = /<OrgnlEndToEndId>(.)<\/OrgnlEndToEndId><TxSts>(.*?)<\/TxSts>/g;
  return {
    store,
    async answer(batchId) {
      const { path } = await writeErpFile({ config, store }, batchId, 'pain002');
      return [...(await readFile(path, 'utf8')).matchAll(status)].map(([, id, said]) => `${id} ${said}`);
    },
  };
}

it('a row that another batch has taken is not called unpaid when the bank shows an order after its end', async () => {
  const { store, answer } = await setUp();
  const [taken, other] = [rowOf('a'), rowOf('b')];
  const file = { file: 'm.xml', sha256: 'x', by: null };
  await store.claimBatch({ ...file, batchId: 'first', rows: [taken], message: messageOf('M1'), at: 1_000 });
  await store.changePayout(taken.reference, FAILED);
  await store.recordIncident({ kind: 'order-after-end', reference: taken.reference, orderId: 'o-9', seenAt: 3_000 });
  const { instruction, reference, original } = taken;
  const findings = [{ column: 'id', rule: 'already-taken', message: 'known' }];
  const refused = [{ row: 1, line: 1, instruction, reference, original, findings }];
  const rows = [{ ...other, row: 2 }];
  await store.claimBatch({ ...file, batchId: 'second', rows, refused, message: messageOf('M2'), at: 4_000 } as never);
  await store.changePayout(other.reference, { state: 'completed', reason: null, at: 5_000 });
  expect([await answer('first'), await answer('second')]).toEqual([['a PDNG'], ['a PDNG', 'b ACSC']]);
});

it('a row is not called unpaid when the bank shows an order of an earlier generation', async () => {
  const { store, answer } = await setUp();
  const row = rowOf('a');
  const file = { file: 'm.xml', sha256: 'x', by: null };
  await store.claimBatch({ ...file, batchId: 'first', rows: [row], message: messageOf('M1'), at: 1_000 });
  await store.changePayout(row.reference, FAILED);
  const again = claimRow({ row: 1, instruction: row.instruction, generation: 1, original: row.original });
  await store.claimBatch({ ...file, batchId: 'again', rows: [again], retryOf: 'first', at: 3_000 });
  await store.changePayout(again.reference, { ...FAILED, at: 4_000 });
  expect(await answer('first')).toEqual(['a RJCT']);
  await store.recordIncident({ kind: 'order-after-end', reference: row.reference, orderId: 'o-9', seenAt: 5_000 });
  expect(await answer('first')).toEqual(['a PDNG']);
});
