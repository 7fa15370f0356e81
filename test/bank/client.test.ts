import { expect, test } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { createBank } from '../../src/bank/client.ts';
import { answer, inOrder, ok, scriptedBank } from './support/scripted-bank.ts';
import { bankWith, drivenTime, failureOf, PAYMENT, testBank } from './support/test-bank.ts';

const account = { uid: 'u', account_id: 'a', currency: 'usd', balance: 12.5, updated_at: null };
const entry = {
  currency: 'USD',
  beneficiary_type: 'personal',
  payment_type: 'swift',
  fields: [{ field: 'mobile', required: 'true' }],
};
const payee = {
  id: 7,
  uid: 'u',
  currency: 'USD',
  payment_type: 'bsb',
  beneficiary_type: 'personal',
  items: { bsb: 62000, mobile: null },
};
const order = { order_id: 'o', status: 'BRAND_NEW', rate: 1.0625, created_at: '1767225600000', fee: '' };
const fee = { fee: 3, fee_currency: 'USD' };
const quote = {
  sell_account: 's',
  buy_account: 'b',
  sell_amount: '1',
  buy_amount: '2',
  rate: 2.5,
  sell_currency: 'EUR',
  buy_currency: 'USD',
};
const page = { total: '1', page: 1, records: [order] };
const transfer = { source_account_id: 's', destination_account_id: 'd', amount: '1.00', reference: 'r' };
const exchange = { sell_account: 's', buy_account: 'b', amount: '1.00', currency: 'USD', reference: 'r' };
const feeQuery = { uid: 'u', account_id: 'a', beneficiary_id: 'b', amount: '1.00', currency: 'USD' };
const T = '/v1/banking/transactions';
const B = '/v1/banking/beneficiaries';

/** Operation, call, answer's data, request line as it must arrive, body, what the caller gets. */
type Case = [string, (bank: Bank) => Promise<unknown>, unknown, string, unknown, unknown];
const readAccount = { ...account, currency: 'USD', balance: '12.50', updated_at: undefined };
const readOrder = { order_id: 'o', status: 'BRAND_NEW', rate: '1.0625', created_at: 1767225600000 };

const CASES: Case[] = [
  ['accounts.master', (b) => b.accounts.master(), [account], 'GET /v1/banking/accounts', '', [readAccount]],
  ['accounts.ofUser', (b) => b.accounts.ofUser('u:1'), [account], 'GET /v1/banking/users/u%3A1', '', [readAccount]],
  ['accounts.get', (b) => b.accounts.get('a'), account, 'GET /v1/banking/accounts/a', '', readAccount],
  [
    'beneficiaries.requiredDetails',
    (b) => b.beneficiaries.requiredDetails('USD', 'personal'),
    [entry],
    `GET ${B}/required-details?currency=USD&beneficiary_type=personal`,
    '',
    [{ ...entry, fields: [{ field: 'mobile', required: true, regex: '', data_type: 'text' }] }],
  ],
  [
    'beneficiaries.add',
    (b) => b.beneficiaries.add({ uid: 'u' }),
    { beneficiary_id: 9 },
    `POST ${B}`,
    { uid: 'u' },
    { beneficiary_id: '9' },
  ],
  ['beneficiaries.get', (b) => b.beneficiaries.get('7'), payee, `GET ${B}/7`, '', { id: '7', items: { bsb: '62000' } }],
  [
    'beneficiaries.listAll',
    (b) => b.beneficiaries.listAll({ uid: 'u' }, { calls: 1 }),
    { records: null },
    `GET ${B}?uid=u&page=1&page_size=100`,
    '',
    { beneficiaries: [] },
  ],
  [
    'beneficiaries.update',
    (b) => b.beneficiaries.update('b', { uid: 'u' }),
    null,
    `PUT ${B}/b`,
    { uid: 'u' },
    undefined,
  ],
  ['beneficiaries.delete', (b) => b.beneficiaries.delete('b'), undefined, `DELETE ${B}/b`, '', undefined],
  [
    'transactions.paymentFee',
    (b) => b.transactions.paymentFee(feeQuery),
    fee,
    `GET ${T}/payment/fee?uid=u&account_id=a&beneficiary_id=b&amount=1.00&currency=USD`,
    '',
    { fee: '3.00', fee_currency: 'USD' },
  ],
  [
    'transactions.payment',
    (b) => b.transactions.payment(PAYMENT),
    { order_id: 'o' },
    `POST ${T}/payment`,
    PAYMENT,
    { order_id: 'o' },
  ],
  [
    'transactions.transferFee',
    (b) => b.transactions.transferFee({ source_account_id: 's', destination_account_id: 'd', amount: '1' }),
    fee,
    `GET ${T}/transfer/fee?source_account_id=s&destination_account_id=d&amount=1`,
    '',
    { fee: '3.00', fee_currency: 'USD' },
  ],
  [
    'transactions.transfer',
    (b) => b.transactions.transfer(transfer),
    { order_id: 'o' },
    `POST ${T}/transfer`,
    transfer,
    { order_id: 'o' },
  ],
  [
    'transactions.fxQuote',
    (b) => b.transactions.fxQuote({ sell_account: 's', buy_account: 'b', amount: '2', currency: 'USD' }),
    quote,
    `GET ${T}/fx/quote?sell_account=s&buy_account=b&amount=2&currency=USD`,
    '',
    { ...quote, sell_amount: '1.00', buy_amount: '2.00', rate: '2.5' },
  ],
  [
    'transactions.fx',
    (b) => b.transactions.fx(exchange),
    { order_id: 'o' },
    `POST ${T}/fx`,
    exchange,
    { order_id: 'o' },
  ],
  [
    'orders.listAll',
    (b) => b.orders.listAll({ uid: 'u', currency: 'USD', from: 5, type: 'FX' }, { pageSize: 20, calls: 1 }),
    page,
    `GET ${T}?uid=u&currency=USD&created_at_from=5&order_type=FX&page=1&page_size=20`,
    '',
    { orders: [readOrder], pagesRead: 1 },
  ],
  ['orders.get', (b) => b.orders.get('o'), order, `GET ${T}/o`, '', readOrder],
  ['orders.approve', (b) => b.orders.approve('o'), undefined, `POST ${T}/o/approve`, {}, undefined],
  [
    'orders.reject',
    (b) => b.orders.reject('o', 'no "thanks"'),
    undefined,
    `POST ${T}/o/reject`,
    { remark: 'no "thanks"' },
    undefined,
  ],
];

test.each(CASES)(
  '%s sends what the interface shows and reads what it answers',
  async (_name, call, data, line, body, result) => {
    await using server = await scriptedBank(ok(data));
    await using bank = testBank(`${server.baseUrl}/tenant/`);
    const got = await call(bank);
    const [request] = server.seen;
    const [method, target] = line.split(' ');
    expect(request).toMatchObject({ method, target: `/tenant${target}` });
    expect(request?.body === '' ? '' : JSON.parse(request?.body ?? '')).toEqual(body);
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', authorization: 'token-1' });
    if (result === undefined) expect(got).toBeUndefined();
    else expect(got).toMatchObject(result as object);
    expect(server.seen).toHaveLength(1);
  },
);

test('a member that nothing depends on makes no read fail', async () => {
  const odd = { ...account, updated_at: 'today', frozen: 'n/a' };
  const { bank } = await bankWith(inOrder(ok(odd), ok({ ...payee, created_at: {} })));
  expect(await bank.accounts.get('a')).toMatchObject({ balance: '12.50', frozen: undefined, updated_at: undefined });
  expect(await bank.beneficiaries.get('7')).toMatchObject({ id: '7', created_at: undefined });
});

test('a quote whose rate cannot be read is one, because its amounts decide', async () => {
  const { bank } = await bankWith(ok({ ...quote, rate: {} }));
  const asked = { sell_account: 's', buy_account: 'b', amount: '2', currency: 'USD' };
  expect(await bank.transactions.fxQuote(asked)).toMatchObject({ sell_amount: '1.00', buy_amount: '2.00' });
});

test('a detail of a payee that is no text is another one than any text, and not an absent one', async () => {
  const { bank } = await bankWith(ok({ ...payee, items: { bsb: { is: 62000 }, mobile: null } }));
  expect((await bank.beneficiaries.get('7')).items).toEqual({ bsb: '{"is":62000}' });
});

test.each<[string, (bank: Bank) => Promise<unknown>, object]>([
  ['an account', (b) => b.accounts.get('other'), account],
  ['a beneficiary', (b) => b.beneficiaries.get('other'), payee],
  ['an order without a reference', (b) => b.orders.get('other'), order],
])('%s other than the one that was asked for is no answer', async (_what, call, data) => {
  const { bank } = await bankWith(ok(data), drivenTime());
  expect((await failureOf(call(bank))).message).toMatch(/answered code 0 with data outside the interface \(\w*id\)$/);
});

test('a list of beneficiaries that is answered with "none found" is empty, and one of orders is unread', async () => {
  const { bank } = await bankWith(answer(200, { code: 2004, msg: 'Beneficiary Not Found' }), drivenTime());
  const payees = await bank.beneficiaries.listAll({ uid: 'u' });
  expect(payees).toMatchObject({ beneficiaries: [], stable: true });
  await expect(bank.orders.listAll({ uid: 'u', currency: 'USD', from: 5 })).rejects.toMatchObject({ code: 2004 });
});

test('an order that is shown under another id is judged by its reference', async () => {
  const { bank } = await bankWith(ok({ ...order, client_order_id: 'r' }));
  expect(await bank.orders.get('before')).toMatchObject({ order_id: 'o', client_order_id: 'r' });
});

test('the base URL loses its trailing slash and keeps its path', () => {
  const bank = createBank({ baseUrl: 'https://bank.test/api/', apiKey: 'k', apiSecret: 's' });
  expect(bank.baseUrl).toBe('https://bank.test/api');
});

test.each(['bank.test', 'ftp://bank.test', 'https://user:pw@bank.test', 'https://bank.test/?a=1'])(
  'the base URL %s is refused',
  (baseUrl) => {
    expect(() => createBank({ baseUrl, apiKey: 'k', apiSecret: 's' })).toThrow(TypeError);
  },
);
