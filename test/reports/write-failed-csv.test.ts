import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { readCsv } from '../../src/files/csv/read-csv.ts';
import type { RowSink } from '../../src/files/input.ts';
import { checkValues } from '../../src/files/rules/field-rules.ts';
import type { ReadRow } from '../../src/files/rules/read-row.ts';
import { columnsOf, failedCsv, unpaidLines } from '../../src/reports/write-csv.ts';
import { provenUnpaid } from '../../src/store/proven-unpaid.ts';
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
  const none = async () => [];
  const store = { attemptsOf: none, incidentsOf: none, returnsOf: none, paidOrdersOf: none };
  const unpaid = (await provenUnpaid(store, rows)).difference(doubtful);
  const lines = () => unpaidLines(each(rows), each(refused), unpaid);
  const columns = await columnsOf(lines());
  const text = (await Array.fromAsync(failedCsv(columns, lines()))).join('');
  // Excel needs the mark.
  expect(text.startsWith('\ufeff')).toBe(true);
  return text.slice(1);
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

const HOSTILE = {
  id: '=1+2',
  amount: '-5.00',
  currency: 'EUR',
  account_name: '＝CMD',
  mobile: '+49 170 1234',
  note: '@SUM(A1); =cmd|\u0027/C calc\u0027!A0\n\tCMD',
  reason: "'=already",
};

test('has no live formula, and is read again with the values as they were', async () => {
  const text = await fileOf([], [refusal(HOSTILE, 'not-positive', 'amount')]);
  const cells: string[] = parse(text).flat();
  expect(cells.flatMap((cell) => cell.split(/[;\t\r\n]/)).filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
  expect(await rowsOf(text)).toEqual([HOSTILE]);
});

test('steers no terminal and hides nothing: what no value may hold is refused again', async () => {
  const text = await fileOf(
    [],
    [refusal({ id: 'A', account_name: 'Re\u202ed\u001b[31m', note: '\u001b]0;x\u0007\nok' }, 'x')],
  );
  expect(text).toBe('id,note,account_name\nA,"\ufffd]0;x\ufffd\nok",Re\ufffdd\ufffd[31m\n');
  const [row] = await rowsOf(text);
  expect(checkValues(row as unknown as PayoutInstruction)).toContainEqual(
    expect.objectContaining({ column: 'account_name', rule: 'lost-letters' }),
  );
});

/** As `run` reads a CSV file. */
async function rowsOf(text: string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = [];
  const sink = {
    row: ({ instruction }: ReadRow) => rows.push(instruction),
    column: () => {},
    finding: () => {},
    warning: () => {},
  };
  await readCsv(each([Buffer.from(text)]), sink as unknown as RowSink);
  return rows;
}
