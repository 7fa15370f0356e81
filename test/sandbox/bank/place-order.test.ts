import { describe, expect, test } from 'vitest';
import { PAYMENT, pay, paymentOf, runningSandbox } from '../running-sandbox.ts';

describe('a reference that comes again', () => {
  test('is refused with 2003 across payments, transfers and exchanges', async () => {
    const { bank, proxy } = await runningSandbox();
    await pay(bank, { reference: 'same' });
    const transfer = {
      source_account_id: 'acc-u1001-usd',
      destination_account_id: 'acc-u1002-usd',
      amount: '1.00',
      reference: 'same',
    };
    const fx = {
      sell_account: 'acc-u1001-usd',
      buy_account: 'acc-u1001-eur',
      amount: '1.00',
      currency: 'USD',
      reference: 'same',
    };
    expect(await bank.call('POST', PAYMENT, { body: paymentOf({ reference: 'same' }) })).toMatchObject({ code: 2003 });
    expect(await bank.call('POST', '/v1/banking/transactions/transfer', { body: transfer })).toMatchObject({
      code: 2003,
    });
    expect(await bank.call('POST', '/v1/banking/transactions/fx', { body: fx })).toMatchObject({ code: 2003 });
    expect((await proxy('GET', '/state')).orders).toHaveLength(1);
  });

  test('answers the first order under the profile same-order', async () => {
    const { bank, proxy } = await runningSandbox({ profile: { dedupe: 'same-order' } });
    expect(await pay(bank, { reference: 'same' })).toBe(await pay(bank, { reference: 'same' }));
    expect((await proxy('GET', '/state')).orders).toHaveLength(1);
  });

  test('makes a second order under the profile none, switched while running', async () => {
    const { bank, proxy } = await runningSandbox();
    await proxy('PUT', '/profile', { dedupe: 'none' });
    expect(await pay(bank, { reference: 'same' })).not.toBe(await pay(bank, { reference: 'same' }));
    expect((await proxy('GET', '/state')).orders).toHaveLength(2);
  });

  test('may be 64 characters long and not 65', async () => {
    const { bank } = await runningSandbox();
    expect(await pay(bank, { reference: 'r'.repeat(64) })).toMatch(/^ord-/);
    await expect(pay(bank, { reference: 'r'.repeat(65) })).rejects.toThrow('2002');
  });
});
