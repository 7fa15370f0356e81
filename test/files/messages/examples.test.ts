import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAmount } from '../../../src/domain/money.ts';
import { loadMessageMapping } from '../../../src/files/messages/mapping.ts';
import { loadPayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { readInstructions } from '../../../src/files/read-file.ts';
import { requiredDetails } from '../../../src/sandbox/bank/beneficiary-book.ts';
import { settingsOf } from '../../../src/sandbox/bank/open-books.ts';
import { collected } from '../collected.ts';
import { validateRows } from '../rules/validate-rows.ts';
import { DAYS } from './transfers.ts';

const { auditThreshold } = settingsOf({});
const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

async function validated(name: string) {
  const context = {
    mapping: await loadMessageMapping(example('mapping.json')),
    payees: await loadPayeeDirectory(example('payees.csv')),
    ...DAYS,
  };
  const input = await collected((sink) => readInstructions(example(name), sink, context));
  return { input, ...validateRows({ ...input, file: name, requiredDetails }) };
}

const FILES = ['payroll.pain.001.001.03.xml', 'suppliers.pain.001.001.09.xml', 'payroll.aba', 'payments.ach'];

describe.each(FILES)('%s with mapping.json and payees.csv', (name) => {
  test('has no finding under the rules of the sandbox', async () => {
    const { input, findings, instructions } = await validated(name);
    expect([...input.findings, ...findings]).toEqual([]);
    expect(instructions).toHaveLength(3);
  });

  test('completes without people: every amount is below the audit threshold', async () => {
    const { instructions } = await validated(name);
    for (const { instruction } of instructions) {
      const amount = parseAmount(instruction.amount, instruction.currency);
      expect(amount.ok && amount.minor < auditThreshold(instruction.currency)).toBe(true);
    }
  });
});

test('the examples of pain.001 show known and new payees, a slash in an id, and an id of the instruction', async () => {
  const rows = [...(await validated(FILES[0] ?? '')).instructions, ...(await validated(FILES[1] ?? '')).instructions];
  const shown = rows.map(({ instruction: { id, beneficiary_id, payment_type } }) => [
    id,
    beneficiary_id ?? payment_type,
  ]);
  expect(shown).toEqual([
    ['SAL-2026-03-201', 'local'],
    ['SAL-2026-03-202', 'ben-u1001-eur-swift'],
    ['SAL-2026-03-203', 'bsb'],
    ['INV|5711', 'local'],
    ['P-0002', 'ben-u1002-chf-swift'],
    ['INV-5713', 'local'],
  ]);
});
