import { expect, it } from 'vitest';
import { assess } from '../../../src/activities/assess.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { instruction, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };

/** A bank that compares no users, and has these accounts. */
const bankOf = (usd: string, eur: string) => ({
  clock: UNMEASURED_CLOCK,
  accounts: {
    get: async (id: string) => ({ account_id: id, uid: usd, currency: 'USD', balance: '100000.00' }),
    ofUser: async () => [{ account_id: 'own-eur', uid: eur, currency: 'EUR', balance: '0.00' }],
  },
  beneficiaries: { get: async (id: string) => ({ id, currency: 'USD', payment_type: 'local', items: {} }) },
  transactions: {
    paymentFee: async () => ({ fee: '1.50', fee_currency: 'USD' }),
    fxQuote: async ({ amount }: { amount: string }) => ({ sell_amount: '99.00', buy_amount: amount, rate: '1' }),
  },
});

it.each([
  ['USD', 'user-2', 'user-1'],
  ['EUR', 'user-2', 'user-1'],
  ['EUR', 'user-1', 'user-2'],
])('no %s is paid or exchanged with the account of another user: %s, %s', async (currency, usd, eur) => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc', { instruction: instruction('doc', { currency }) }));
  const deps = {
    bank: bankOf(usd, eur),
    store,
    settings: quickSettings,
    now: Date.now,
    assertIdentity: async () => {},
  };
  const { reference, term } = record;
  const claim = { storeId: store.id, reference, term };
  const asked = { claim, exchanged: false, exchangeSent: false };
  expect(await assess(deps as unknown as ActivityDeps, CALLER, asked)).toMatchObject({
    beneficiary: { known: false },
    obstacle: { kind: 'fail', reason: { code: 'account-not-own' } },
  });
});
