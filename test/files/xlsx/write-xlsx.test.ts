import { describe, expect, it } from 'vitest';
import { letterOf } from '../../../src/files/table-rows.ts';
import { readXlsx } from '../../../src/files/xlsx/read-xlsx.ts';
import { writeXlsx } from '../../../src/files/xlsx/write-xlsx.ts';
import { bytesOf } from '../bytes.ts';
import { collected } from '../collected.ts';

describe('a workbook that we write', () => {
  it('is read again as it was, text in the form that it has', async () => {
    const columns = [
      { name: 'id', kind: 'text' },
      { name: 'amount', kind: 'number' },
      { name: 'account_no', kind: 'text' },
      { name: 'account_name', kind: 'text' },
    ] as const;
    const rows = [
      { id: 'INV-1', amount: '100.50', account_no: '00012', account_name: '<Zoë> & "Söhne"' },
      { id: 'INV-2', amount: '7', account_no: '2026-03-01', account_name: '=1+1' },
    ];
    const read = await collected((sink) => readXlsx(bytesOf(writeXlsx('Payouts', columns, rows)), sink));
    expect(read.findings).toEqual([]);
    expect(read.rows.map(({ instruction }) => instruction)).toEqual([{ ...rows[0], amount: '100.5' }, rows[1]]);
    expect(read.columns.map(({ name, letter }) => `${letter} ${name}`)).toEqual([
      ...['A id', 'B amount', 'C account_no', 'D account_name'],
    ]);
  });

  it.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
  ])('has column %i under %s', (index, letter) => {
    expect(letterOf(index)).toBe(letter);
  });
});
