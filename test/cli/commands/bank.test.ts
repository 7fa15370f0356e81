import { afterAll, beforeAll, expect, it } from 'vitest';
import { accounts, beneficiaries, orders } from '../../../src/cli/list.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { type BankSession, openBankSession } from '../bank-session.ts';

/** The value of every detail that a table must not show. */
const CANARY = 'Quillfeather';
const ACCOUNT = '86420975';
const PAYEE = {
  account_name: `Odette ${CANARY}`,
  first_name: 'Odette',
  last_name: CANARY,
  mobile: '+10000086420',
  region_country: 'US',
  aba_routing_code: '000000000',
  account_no: ACCOUNT,
  address_country: 'US',
  address_state: 'Sample State',
  address_city: `${CANARY} City`,
  address_address1: `1 ${CANARY} Street`,
};

let open: BankSession;

beforeAll(async () => {
  open = await openBankSession({ remote: true });
  const { beneficiary_id } = await open.bank.beneficiaries.add({
    uid: 'u-1001',
    currency: 'USD',
    beneficiary_type: 'personal',
    payment_type: 'local',
    ...PAYEE,
  });
  await open.bank.transactions.payment({
    uid: 'u-1001',
    account_id: 'acc-u1001-usd',
    beneficiary_id,
    reference: '4b8f3a0e-0000-5000-8000-000000000001',
    amount: '12.50',
    currency: 'USD',
    note: `for ${CANARY}`,
  });
});
afterAll(() => open?.close());

const isMasked = (text: string): void => {
  expect(text).not.toContain(CANARY);
  expect(text).not.toContain('Odette');
  expect(text).not.toContain(ACCOUNT);
};

it('beneficiaries shows payees so that they can be distinguished, and nobody in full', async () => {
  await beneficiaries(open.session, 'u-1001', { currency: 'USD' });
  isMasked(open.printed.text);
  expect(open.printed.text).toMatch(/ personal +local +O\*\*\* +\*\*\*75$/m);
  expect(JSON.stringify(open.printed.document)).toContain(PAYEE.account_name);
  expect(JSON.stringify(open.printed.document)).toContain(ACCOUNT);
});

it('beneficiaries shows companies by the first letter of their account', async () => {
  await beneficiaries(open.session, 'u-1002', { currency: 'AUD' });
  expect(open.printed.text).toMatch(/ business +bsb +S\*\*\* +\*\*\*01$/m);
});

it('orders and accounts show neither', async () => {
  await orders(open.session, 'u-1001', 'USD');
  expect(open.printed.text).toContain('4b8f3a0e-0000-5000-8000-000000000001');
  isMasked(open.printed.text);
  await accounts(open.session, 'u-1001');
  expect(open.printed.text).toContain('acc-u1001-usd');
  isMasked(open.printed.text);
});

it('no stack is booted to show them', async () => {
  const { session, bank } = open;
  const stack = () => Promise.reject(new Error('booted'));
  const asking = fakeSession({ ...session, bank: async () => bank, stack });
  await accounts(asking, 'u-1001');
  await beneficiaries(asking, 'u-1001', {});
  await orders(asking, 'u-1001', 'USD');
});

it('orders says why the list of the bank is not believed', async () => {
  const said: string[] = [];
  const { bank, session } = open;
  const listAll: typeof bank.orders.listAll = async (...asked) => ({
    ...(await bank.orders.listAll(...asked)),
    ...{ stable: false, doubt: 'orders of another user' },
  });
  const doubted = { ...bank, orders: { ...bank.orders, listAll } };
  const output = { ...session.output, notify: (text: string) => said.push(text) };
  await orders(fakeSession({ ...session, output, bank: async () => doubted }), 'u-1001', 'USD');
  expect(said).toEqual([expect.stringContaining('shows orders of another user')]);
});
