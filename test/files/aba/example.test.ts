import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readAba } from '../../../src/files/aba/read-aba.ts';
import { bytesOf } from '../bytes.ts';
import { collected } from '../collected.ts';
import { CONTEXT } from './aba-records.ts';

test('examples/payroll.aba has three credits and the debit that balances them', async () => {
  const content = await readFile(fileURLToPath(new URL('../../../examples/payroll.aba', import.meta.url)));
  const { rows, findings } = await collected((sink) => readAba(bytesOf(content), sink, CONTEXT));
  expect(findings).toEqual([]);
  expect(rows.map(({ instruction: { id, amount, payment_type: type } }) => [id, amount, type])).toEqual([
    ['SAL-2026-03-101', '1480.15', 'bsb'],
    ['SAL-2026-03-102', '1512.60', 'bsb'],
    ['INV-5001', '325.00', 'bsb'],
  ]);
});
