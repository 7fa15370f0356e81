import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { withRequiredDetailsCache } from '../../src/bank/required-details-cache.ts';

function countingBank(answer: () => Promise<never[]>): { bank: Bank; asked: string[] } {
  const asked: string[] = [];
  const requiredDetails = (currency: string, type: string) => {
    asked.push(`${currency} ${type}`);
    return answer();
  };
  return { bank: { beneficiaries: { requiredDetails } } as unknown as Bank, asked };
}

describe('required-details', () => {
  it('are asked for once a minute per currency and beneficiary type, also by many rows at once', async () => {
    const { bank, asked } = countingBank(async () => []);
    let now = 0;
    const cached = withRequiredDetailsCache(bank, () => now);
    await Promise.all(Array.from({ length: 20 }, () => cached.beneficiaries.requiredDetails('USD', 'personal')));
    await cached.beneficiaries.requiredDetails('USD', 'business');
    expect(asked).toEqual(['USD personal', 'USD business']);
    now = 60_000;
    await cached.beneficiaries.requiredDetails('USD', 'personal');
    expect(asked).toHaveLength(3);
  });

  it('that could not be read are asked for again', async () => {
    let fails = true;
    const { bank, asked } = countingBank(async () => {
      if (fails) throw new Error('down');
      return [];
    });
    const cached = withRequiredDetailsCache(bank, () => 0);
    await expect(cached.beneficiaries.requiredDetails('EUR', 'personal')).rejects.toThrow('down');
    fails = false;
    await expect(cached.beneficiaries.requiredDetails('EUR', 'personal')).resolves.toEqual([]);
    expect(asked).toHaveLength(2);
  });
});
