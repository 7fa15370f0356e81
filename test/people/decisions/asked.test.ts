import { expect, it } from 'vitest';
import { askedOf } from '../../../src/people/decisions/asked.ts';
import { instruction, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, settingsUnder } from '../../support/people.ts';

it('a rule about an account is about the one that the row names and the one that pays after an exchange', async () => {
  const store = await newStore();
  const row = instruction('doc', { account_id: 'acc-eur', currency: 'USD' });
  const { record } = await store.claimPayout(payoutClaim('doc', { instruction: row }));
  const approvalsFor = (account: string) => {
    const policy = policyOf([], { approvals: [{ account, approvals: 2, alone: true }] });
    const settings = settingsUnder(policy);
    return askedOf({ settings }, record, { payingAccountId: 'acc-usd' });
  };
  for (const account of ['acc-eur', 'acc-usd']) {
    expect(approvalsFor(account)).toMatchObject({ approvalsNeeded: 2, asksAlone: true });
  }
  expect(approvalsFor('acc-gbp')).toMatchObject({ approvalsNeeded: 0 });
});
