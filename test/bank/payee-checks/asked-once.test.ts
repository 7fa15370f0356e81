import { expect, it } from 'vitest';
import type { Verification } from '../../../src/bank/payee-checks/provider.ts';
import { askedOnce } from '../../../src/bank/payee-checks/provider.ts';

it('who asks while the same is asked gets the same answer, and afterwards it is asked anew', async () => {
  const waiting: ((answer: Verification) => void)[] = [];
  const provider = askedOnce({
    name: 'p',
    verifyPayee: () => new Promise((resolve) => waiting.push(resolve)),
    screen: async () => ({ verdict: 'clear' }),
    close: async () => undefined,
  });
  const payee = { name: 'Jane Roe', currency: 'EUR', account: {} };
  const [one, same] = [provider.verifyPayee(payee), provider.verifyPayee({ ...payee })];
  const other = provider.verifyPayee({ ...payee, currency: 'GBP' });
  expect(waiting).toHaveLength(2);
  for (const answer of waiting) answer({ verdict: 'match' });
  expect(await Promise.all([one, same, other])).toEqual(Array(3).fill({ verdict: 'match' }));
  void provider.verifyPayee(payee);
  expect(waiting).toHaveLength(3);
});
