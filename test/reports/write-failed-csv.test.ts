import { expect, test } from 'vitest';
import { columnsOf, failedCsv, unpaidLines } from '../../src/reports/write-failed-csv.ts';
import { provenUnpaid } from '../../src/services/sending/proven-unpaid.ts';
import type { PayoutRecord, RefusedRow } from '../../src/store/store.ts';
import { record } from './records.ts';

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const refusal = (instruction: Record<string, string>, rule: string, column: string | null = null): RefusedRow => ({
  row: 9,
  line: 10,
  instruction,
  findings: [{ column, rule, message: 'why' }],
});

async function fileOf(
  rows: readonly PayoutRecord[],
  refused: readonly RefusedRow[] = [],
  doubtful = new Set<string>(),
) {
  const store = { attemptsOf: async () => [], incidentsOf: async () => [] };
  const unpaid = (await provenUnpaid(store, rows)).difference(doubtful);
  const lines = () => unpaidLines(each(rows), each(refused), unpaid);
  const columns = await columnsOf(lines());
  return (await Array.fromAsync(failedCsv(columns, lines()))).join('');
}

test('has the rows that are proven unpaid, each with the reference it is paid again for', async () => {
  const failed = record(2, 'failed', {}, 'bank-failed');
  const text = await fileOf([record(1, 'completed'), failed, record(3, 'needs-operator'), record(4, 'processing')]);
  expect(text).toBe(
    `id,uid,account_id,amount,currency,retry_of,account_name,account_no\nINV-2,u-1001,acc-1,10.00,EUR,${failed.reference},Ramirez,99887766\n`,
  );
});

test('has none against whose end the bank shows an order', async () => {
  const failed = record(2, 'failed', {}, 'bank-failed');
  expect(await fileOf([failed], [], new Set([failed.reference]))).toBe('\n');
});

test('has rows refused for their values, without the columns that nobody knows', async () => {
  const refused = [
    refusal({ id: 'A', amount: 'x', constructor: 'y' }, 'unknown-column', 'constructor'),
    refusal({ id: 'B' }, 'already-taken'),
    refusal({}, 'debit-entry'),
  ];
  expect(await fileOf([], refused)).toBe('id,amount\nA,x\n');
});
