import { describe, expect, it } from 'vitest';
import { INSTRUCTION_FIELDS } from '../../../src/domain/instruction.ts';
import { checkInstruction } from '../../../src/files/rules/check-instruction.ts';
import { COLUMNS, FINDINGS_OF_EVERY_COLUMN, FINDINGS_OF_PAYEE_FIELDS } from '../../../src/files/rules/input-columns.ts';
import { RULES } from '../../../src/files/rules/rules.ts';

describe('the table of columns', () => {
  it('has every column of ours, in the order of the code, and no other', () => {
    expect(Object.keys(COLUMNS)).toEqual([...INSTRUCTION_FIELDS]);
  });

  it('names findings that are explained', () => {
    const named = Object.values(COLUMNS).flatMap(({ findings }) => findings);
    const all = [...named, ...FINDINGS_OF_EVERY_COLUMN, ...FINDINGS_OF_PAYEE_FIELDS];
    expect(all.filter((rule) => !Object.hasOwn(RULES, rule))).toEqual([]);
  });

  it.each(Object.entries(COLUMNS).filter(([, { example }]) => example !== ''))(
    'has an example of %s that breaks no rule',
    (name, { example }) => {
      const payee = name.startsWith('beneficiary_') || name === 'payment_type' ? {} : { beneficiary_id: 'ben-1' };
      const named =
        name === 'beneficiary_type'
          ? { payment_type: 'local' }
          : name === 'payment_type'
            ? { beneficiary_type: 'personal' }
            : {};
      const row = {
        id: 'INV-1',
        uid: 'u-1',
        account_id: 'acc-1',
        amount: '1.00',
        currency: 'EUR',
        ...payee,
        ...named,
        [name]: example,
      };
      expect(checkInstruction(row)).toEqual([]);
    },
  );

  it.each([
    ['id', 'a/b'],
    ['uid', 'u/1'],
    ['account_id', 'a b'],
    ['amount', '1.005'],
    ['currency', 'EURO'],
    ['beneficiary_id', 'b b'],
    ['beneficiary_type', 'person'],
    ['note', 'x'.repeat(141)],
    ['charge_type', 'OUR'],
    ['after_card_payment', 'pay 1'],
    ['execute_on', '2026-02-30'],
    ['expires_at', '2026-02-28'],
    ['fee_cap', '-1'],
    ['max_slippage', '2'],
    ['priority', 'low'],
  ] as const)('names the finding that a bad %s gets', (name, value) => {
    const row = { id: 'INV-1', uid: 'u-1', account_id: 'acc-1', amount: '1.00', currency: 'EUR', [name]: value };
    const rules = checkInstruction(row).flatMap(({ rule }) =>
      rule.startsWith(`${name}: `) ? rule.slice(name.length + 2) : [],
    );
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter((rule) => !COLUMNS[name].findings.includes(rule))).toEqual([]);
  });
});
