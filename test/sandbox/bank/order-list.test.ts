import { describe, expect, test } from 'vitest';
import { pay, runningSandbox, START, type TestSandbox } from '../running-sandbox.ts';

const TRANSACTIONS = '/v1/banking/transactions';

async function list({ bank }: TestSandbox, query: Record<string, string>) {
  return bank.call('GET', TRANSACTIONS, { query: { uid: 'u-1001', currency: 'USD', ...query } });
}

const references = (envelope: { data?: { records: { client_order_id: string }[] } }) =>
  envelope.data?.records.map(({ client_order_id }) => client_order_id);

/** Three payments a second apart, a transfer and an exchange into EUR. */
async function filled(): Promise<TestSandbox> {
  const it = await runningSandbox();
  for (const amount of ['10.00', '20.00', '30.00']) {
    await pay(it.bank, { amount, reference: `pay-${amount}` });
    it.sandbox.clock.advance(1_000);
  }
  const transfer = { source_account_id: 'acc-u1001-usd', destination_account_id: 'acc-u1002-usd', amount: '40.00' };
  await it.bank.call('POST', `${TRANSACTIONS}/transfer`, { body: { ...transfer, reference: 'transfer' } });
  const fx = { sell_account: 'acc-u1001-usd', buy_account: 'acc-u1001-eur', amount: '50.00', currency: 'EUR' };
  await it.bank.call('POST', `${TRANSACTIONS}/fx`, { body: { ...fx, reference: 'fx' } });
  return it;
}

describe('the order list', () => {
  test('shows the newest first, transfers and exchanges included', async () => {
    const it = await filled();
    expect(references(await list(it, {}))).toEqual(['fx', 'transfer', 'pay-30.00', 'pay-20.00', 'pay-10.00']);
  });

  test.each<[query: Record<string, string>, expected: string[]]>([
    [{ order_type: 'PAYMENT' }, ['pay-30.00', 'pay-20.00', 'pay-10.00']],
    [{ order_type: 'TRANSFER' }, ['transfer']],
    [{ created_at_from: String(START + 1_000), order_type: 'PAYMENT' }, ['pay-30.00', 'pay-20.00']],
    [{ create_at_to: String(START + 1_000) }, ['pay-20.00', 'pay-10.00']],
    [{ amount_from: '20', amount_to: '30.000' }, ['pay-30.00', 'pay-20.00']],
    [{ amount_from: '20.001', amount_to: '40' }, ['transfer', 'pay-30.00']],
    [{ account_id: 'acc-u1001-eur' }, ['fx']],
    [{ currency: 'EUR' }, ['fx']],
    [{ currency: 'EUR', amount_from: '50.00', amount_to: '50.00' }, ['fx']],
    [{ currency: 'GBP' }, []],
    [{ uid: 'u-1002' }, []],
  ])('filters by %j', async (query, expected) => {
    expect(references(await list(await filled(), query))).toEqual(expected);
  });

  test('has pages that join to the whole', async () => {
    const it = await filled();
    const pages = [
      await list(it, { page_size: '2' }),
      await list(it, { page_size: '2', page: '2' }),
      await list(it, { page_size: '2', page: '3' }),
    ];
    expect(pages.flatMap(references)).toEqual(references(await list(it, {})));
    expect(pages[2]?.data).toMatchObject({ total: 5, page: 3, pages: 3, page_size: 2 });
    expect(references(await list(it, { page: '4', page_size: '2' }))).toEqual([]);
  });

  test.each<Record<string, string>>([
    { uid: '' },
    { currency: '' },
    { created_at_from: 'today' },
    { amount_to: '1e5' },
    { order_type: 'GIFT' },
    { page_size: '-1' },
  ])('refuses %j', async (query) => {
    expect(await list(await runningSandbox(), query)).toMatchObject({ code: 2002 });
  });
});
