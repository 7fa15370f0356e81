import { describe, expect, test } from 'vitest';
import { ENVELOPE_CODES } from '../../src/bank/schemas/envelope.ts';
import { MATCHING_STATUS, REFUSAL_CODES, type RefusalCode } from '../../src/sandbox/requests.ts';
import { PAYMENT, pay, paymentOf, runningSandbox, type TestSandbox } from './running-sandbox.ts';

const TRANSACTIONS = '/v1/banking/transactions';
const payment = ({ bank }: TestSandbox, changes: Record<string, unknown>) =>
  bank.raw('POST', PAYMENT, { body: paymentOf(changes) });

/** One way to get each code without a fault. */
const WAYS: Readonly<Record<RefusalCode, (test: TestSandbox) => Promise<Response>>> = {
  2001: (it) => payment(it, { note: 'sandbox:code-2001' }),
  2002: (it) => payment(it, { amount: '1.234' }),
  2003: async (it) => {
    await pay(it.bank, { reference: 'twice' });
    return payment(it, { reference: 'twice' });
  },
  2004: (it) => payment(it, { beneficiary_id: 'ben-u1002-usd-local' }),
  2005: ({ bank }) => bank.raw('GET', `${TRANSACTIONS}/nobody`),
  2006: (it) => payment(it, { account_id: 'acc-u1002-usd' }),
  2007: async (it) => {
    await it.proxy('POST', '/accounts/acc-u1001-usd/freeze');
    return payment(it, {});
  },
  2008: async ({ bank }) => bank.raw('POST', `${TRANSACTIONS}/${await pay(bank)}/approve`),
  2009: (it) => payment(it, { charge_type: 'BEN' }),
  2010: (it) => payment(it, { amount: '999999.01', reference: 'too-much' }),
  2011: async ({ bank, sandbox }) => {
    const orderId = await pay(bank, { amount: '10000.00' });
    sandbox.clock.advance(200);
    await bank.call('POST', `${TRANSACTIONS}/${orderId}/approve`);
    return bank.raw('POST', `${TRANSACTIONS}/${orderId}/approve`);
  },
};

describe('refusals', () => {
  test.each(REFUSAL_CODES)('code %i has a condition, its own message and the status 200', async (code) => {
    const it = await runningSandbox();
    const response = await WAYS[code](it);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ code, msg: ENVELOPE_CODES[code] });
    expect(it.sandbox.checkConservation().problems).toEqual([]);
  });

  test.each(REFUSAL_CODES)('code %i comes with a fitting status when the profile says so', async (code) => {
    const it = await runningSandbox({ profile: { errorStatus: 'matching' } });
    expect((await WAYS[code](it)).status).toBe(MATCHING_STATUS[code]);
  });

  test.each([2001, 2008, 2011])('the note sandbox:code-%i is refused without an order', async (code) => {
    const it = await runningSandbox();
    expect(await (await payment(it, { note: `sandbox:code-${code}` })).json()).toMatchObject({ code });
    expect((await it.proxy('GET', '/state')).orders).toEqual([]);
  });

  test('a refused reference is free for another try', async () => {
    const it = await runningSandbox();
    await payment(it, { reference: 'again', amount: '999999999.00' });
    expect(await pay(it.bank, { reference: 'again' })).toMatch(/^ord-/);
  });

  test('the repeat of an order that took the whole balance is a repeat, not a lack of money', async () => {
    const it = await runningSandbox();
    await pay(it.bank, { reference: 'all', amount: '999999.00' });
    expect(await (await payment(it, { reference: 'all', amount: '999999.00' })).json()).toMatchObject({ code: 2003 });
  });
});
