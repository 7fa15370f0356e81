import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readNacha } from '../../../src/files/nacha/read-nacha.ts';
import { bytesOf } from '../bytes.ts';
import { collected } from '../collected.ts';
import { CONTEXT } from './nacha-records.ts';

const FILE = '1000000001.2603300905.A';

test('examples/payments.ach has a batch of persons and one of companies', async () => {
  const content = await readFile(fileURLToPath(new URL('../../../examples/payments.ach', import.meta.url)));
  const { rows, findings } = await collected((sink) => readNacha(bytesOf(content), sink, CONTEXT));
  expect(findings).toEqual([]);
  expect(rows.map(({ instruction: { id, amount, beneficiary_type: type, note } }) => [id, amount, type, note])).toEqual(
    [
      [`${FILE}.000000010000001`, '1875.50', 'personal', undefined],
      [`${FILE}.000000010000002`, '1640.25', 'personal', undefined],
      [`${FILE}.000000010000003`, '420.00', 'business', 'INVOICE 4801'],
    ],
  );
});
