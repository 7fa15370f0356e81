import { describe, expect, it } from 'vitest';
import { CommandError, EXIT } from '../../src/cli/exit.ts';
import { confirm, planOf, planText } from '../../src/cli/plan.ts';
import { claimRowsOf } from './rows.ts';

describe('the plan', () => {
  it('sums by currency, in order of the codes, each at the scale of its currency', () => {
    const rows = claimRowsOf(
      { id: 'a', amount: '10.5' },
      { id: 'b', amount: '7' },
      { id: 'c', amount: '1000', currency: 'JPY' },
      { id: 'd', amount: '0.125', currency: 'KWD' },
    );
    expect(planOf('may.csv', rows)).toEqual({
      file: 'may.csv',
      payouts: 4,
      newBeneficiaries: 0,
      totals: [
        { currency: 'JPY', count: 1, amount: '1000' },
        { currency: 'KWD', count: 1, amount: '0.125' },
        { currency: 'USD', count: 2, amount: '17.50' },
      ],
    });
  });

  it('is exact where a float is not', () => {
    const rows = claimRowsOf(
      { id: 'a', amount: '0.10' },
      { id: 'b', amount: '0.20' },
      { id: 'c', amount: '90071992547409.93' },
    );
    expect(planOf('may.csv', rows).totals).toEqual([{ currency: 'USD', count: 3, amount: '90071992547410.23' }]);
  });

  it('counts the rows whose payee is named by details', () => {
    const plan = planOf('may.csv', claimRowsOf({ id: 'a' }, { id: 'b', beneficiary_id: undefined }));
    expect(plan.newBeneficiaries).toBe(1);
    expect(planText(plan)).toMatch(
      /^may\.csv: 2 payouts, 1 to payees named by their details\n {2}USD +25\.00 {2}in 2$/,
    );
  });

  it('shows no names, accounts or ids', () => {
    const text = planText(planOf('may.csv', claimRowsOf({ id: 'DOC-1', note: 'for Maria' })));
    expect(text).not.toMatch(/DOC-1|Maria|acc-|ben-/);
  });
});

describe('the question before money moves', () => {
  it('is not asked with --yes', async () => {
    await expect(confirm('Pay?', true)).resolves.toBeUndefined();
  });

  it('cannot be asked without a terminal: a usage error that names --yes', async () => {
    const refused = await confirm('Pay?', false).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CommandError);
    expect(refused).toMatchObject({ exit: EXIT.usage, code: 'confirmation-needed' });
    expect((refused as CommandError).hint).toContain('--yes');
  });
});
