import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAmount } from '../../src/domain/money.ts';
import { claimRow } from '../../src/files/intake/known-rows.ts';
import { readInstructions } from '../../src/files/read-file.ts';
import { warningsOf } from '../../src/files/rules/warnings.ts';
import { requiredDetails } from '../../src/sandbox/bank/beneficiary-book.ts';
import { settingsOf } from '../../src/sandbox/bank/open-books.ts';
import { collected, NO_CONTEXT } from './collected.ts';
import { validateRows } from './rules/validate-rows.ts';

const { auditThreshold } = settingsOf({});

async function exampleOf(name: string) {
  const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const input = await collected((sink) => readInstructions(path, sink, NO_CONTEXT));
  return { input, ...validateRows({ file: name, ...input, requiredDetails }) };
}

describe.each(['payouts.csv', 'payouts.json'])('%s', (name) => {
  test('has no finding under the rules of the sandbox, and nothing to warn of', async () => {
    const { input, findings, instructions } = await exampleOf(name);
    expect([...input.findings, ...findings]).toEqual([]);
    expect(instructions).toHaveLength(input.rows.length);
    const days = { today: '2026-03-30', calendar: undefined };
    expect(instructions.flatMap(({ instruction }) => warningsOf(instruction, days))).toEqual([]);
  });

  test('completes without people: every amount is below the audit threshold', async () => {
    const { instructions } = await exampleOf(name);
    for (const { instruction } of instructions) {
      const amount = parseAmount(instruction.amount, instruction.currency);
      expect(amount.ok && amount.minor < auditThreshold(instruction.currency)).toBe(true);
    }
  });
});

test('payouts.csv shows twins, conversions, known and new beneficiaries in five currencies and more', async () => {
  const { instructions } = await exampleOf('payouts.csv');
  const rows = instructions.map(({ instruction }) => instruction);
  expect(instructions).toHaveLength(12);
  expect(new Set(rows.map(({ currency }) => currency)).size).toBeGreaterThanOrEqual(5);
  expect(rows.filter(({ account_id, currency }) => !account_id.endsWith(currency.toLowerCase()))).toHaveLength(2);
  expect(new Set(rows.map(({ beneficiary_id }) => beneficiary_id !== undefined))).toEqual(new Set([true, false]));
  const claims = instructions.map(claimRow);
  expect(new Set(claims.map(({ reference }) => reference)).size).toBe(12);
  expect(claims.find(({ row }) => row === 7)?.reference).not.toBe(claims.find(({ row }) => row === 8)?.reference);
});
