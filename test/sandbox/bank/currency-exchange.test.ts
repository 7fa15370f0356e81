import { describe, expect, test } from 'vitest';
import { accountOf, orderOf, runningSandbox } from '../running-sandbox.ts';

const FX = '/v1/banking/transactions/fx';
const terms = { sell_account: 'acc-u1001-usd', buy_account: 'acc-u1001-jpy', amount: '10000', currency: 'JPY' };

describe('an exchange', () => {
  test('is booked as it was quoted, holds what is sold and pays out what is bought', async () => {
    const { sandbox, bank } = await runningSandbox();
    const { data: quote } = await bank.call('GET', `${FX}/quote`, { query: terms });
    expect(quote).toMatchObject({ sell_amount: '67.07', buy_amount: '10000', rate: '149.1045', fee: '0.00' });
    const { data } = await bank.call('POST', FX, { body: { ...terms, reference: 'fx' } });
    expect(await accountOf(bank)).toMatchObject({ balance: '999932.93', frozen: '67.07' });
    sandbox.clock.advance(1_500);
    expect(await orderOf(bank, data.order_id)).toMatchObject({
      status: 'COMPLETED',
      sell_amount: quote.sell_amount,
      buy_amount: quote.buy_amount,
      transaction_account: 'acc-u1001-usd',
      transaction_amount: '67.07',
      rate: '149.1044776119',
    });
    expect(await accountOf(bank)).toMatchObject({ balance: '999932.93', frozen: '0.00' });
    expect(await accountOf(bank, 'acc-u1001-jpy')).toMatchObject({ balance: '100010000' });
  });

  test('is booked worse than quoted under a drift', async () => {
    const { bank } = await runningSandbox({ profile: { fxDriftBasisPoints: 200 } });
    const { data } = await bank.call('POST', FX, { body: { ...terms, reference: 'fx' } });
    expect(await orderOf(bank, data.order_id)).toMatchObject({ sell_amount: '68.44', buy_amount: '10000' });
  });

  test('is quoted worse, and booked as quoted, where the rates have moved', async () => {
    const { bank } = await runningSandbox({ profile: { quoteDriftBasisPoints: 200 } });
    const { data: quote } = await bank.call('GET', `${FX}/quote`, { query: terms });
    expect(quote).toMatchObject({ sell_amount: '68.44', buy_amount: '10000' });
    const { data } = await bank.call('POST', FX, { body: { ...terms, reference: 'fx' } });
    expect(await orderOf(bank, data.order_id)).toMatchObject({ sell_amount: '68.44', buy_amount: '10000' });
  });

  test.each([
    [{ type: 'LIMIT' }, 2009],
    [{ type: 'LATER' }, 2002],
    [{ currency: 'EUR', amount: '1.00' }, 2002],
    [{ amount: '10000.5' }, 2002],
    [{ buy_account: 'acc-u1001-usd', currency: 'USD' }, 2002],
    [{ buy_account: 'acc-u1002-jpy' }, 2006],
    [{ buy_account: 'nobody' }, 2006],
    [{ amount: '1000000000' }, 2010],
  ])('with %j is refused with %i', async (changes, code) => {
    const { bank } = await runningSandbox();
    expect(await bank.call('POST', FX, { body: { ...terms, ...changes, reference: 'fx' } })).toMatchObject({ code });
  });

  test('into an account that is frozen is refused', async () => {
    const { bank, proxy } = await runningSandbox();
    await proxy('POST', '/accounts/acc-u1001-jpy/freeze');
    expect(await bank.call('POST', FX, { body: { ...terms, reference: 'fx' } })).toMatchObject({ code: 2007 });
  });

  test('of too little to buy anything is refused', async () => {
    const { bank } = await runningSandbox();
    const little = { sell_account: 'acc-u1001-jpy', buy_account: 'acc-u1001-usd', amount: '1', currency: 'JPY' };
    expect(await bank.call('GET', `${FX}/quote`, { query: little })).toMatchObject({ code: 2002 });
  });
});
