import { describe, expect, test } from 'vitest';
import { SEED_CURRENCIES } from '../../../src/sandbox/bank/open-books.ts';
import { runningSandbox, type TestSandbox } from '../running-sandbox.ts';

const BENEFICIARIES = '/v1/banking/beneficiaries';
const AUD_BSB = {
  uid: 'u-1001',
  currency: 'AUD',
  beneficiary_type: 'personal',
  payment_type: 'bsb',
  account_name: 'Sample Payee',
  first_name: 'Sample',
  last_name: 'Payee',
  bsb: '000-000',
  account_no: '1234',
};
const add = async ({ bank }: TestSandbox, changes: Record<string, unknown> = {}) =>
  bank.call('POST', BENEFICIARIES, { body: { ...AUD_BSB, ...changes } });

describe('beneficiaries', () => {
  test('an AUD bank-state-branch one has the five items of the interface', async () => {
    const it = await runningSandbox();
    const { data } = await add(it, { colour: 'red' });
    const shown = await it.bank.call('GET', `${BENEFICIARIES}/${data.beneficiary_id}`);
    expect(Object.keys(shown.data.items).sort()).toEqual([
      'account_name',
      'account_no',
      'bsb',
      'first_name',
      'last_name',
    ]);
  });

  test('takes every capital letter in a post code, as the interface means its regex', async () => {
    const it = await runningSandbox();
    const address = { address_country: 'GB', address_state: 'S', address_city: 'C', address_address1: 'A' };
    const { account_name, first_name, last_name, uid } = AUD_BSB;
    const { code } = await it.bank.call('POST', BENEFICIARIES, {
      body: {
        ...{ uid, currency: 'GBP', beneficiary_type: 'personal', payment_type: 'local' },
        ...{ account_name, first_name, last_name, mobile: '+15550100002', region_country: 'GB', ...address },
        ...{ sort_code: '00-00-00', account_no: '00040004', address_postcode: 'SA1-1MN' },
      },
    });
    expect(code).toBe(0);
  });

  test('the same details again make a second one: adding has no key', async () => {
    const it = await runningSandbox();
    const [first, second] = [await add(it), await add(it)];
    expect(second).toMatchObject({ code: 0 });
    expect(second.data.beneficiary_id).not.toBe(first.data.beneficiary_id);
  });

  test.each([
    ['a value outside its regex', { bsb: '12' }, 2002],
    ['a value that is no string', { account_no: 1234 }, 2002],
    ['a missing field', { last_name: '' }, 2002],
    ['a value of 256 characters', { account_name: 'n'.repeat(256) }, 2002],
    ['a payment type the currency does not have', { payment_type: 'local' }, 2009],
    ['a currency without networks', { currency: 'CLP' }, 2009],
    ['a beneficiary type nobody knows', { beneficiary_type: 'robot' }, 2002],
  ])('%s is refused and named', async (_case, changes, code) => {
    const it = await runningSandbox();
    expect(await add(it, changes)).toMatchObject({ code });
  });

  test('a country is an ISO 3166 code', async () => {
    const { bank } = await runningSandbox();
    const { data } = await bank.call('GET', `${BENEFICIARIES}/ben-u1001-usd-local`);
    const body = { uid: 'u-1001', ...data.items };
    const update = (region_country: string) =>
      bank.call('PUT', `${BENEFICIARIES}/ben-u1001-usd-local`, { body: { ...body, region_country } });
    expect(await update('USA')).toMatchObject({ code: 2002 });
    expect(await update('CA')).toEqual({ code: 0, msg: 'Ok' });
  });

  test("nobody updates or pays another user's", async () => {
    const { bank } = await runningSandbox();
    const { data } = await bank.call('GET', `${BENEFICIARIES}/ben-u1001-usd-local`);
    const body = { ...data.items, uid: 'u-1002' };
    expect(await bank.call('PUT', `${BENEFICIARIES}/ben-u1001-usd-local`, { body })).toMatchObject({ code: 2004 });
  });

  test('a deleted one is gone, the second delete says so', async () => {
    const { bank } = await runningSandbox();
    const path = `${BENEFICIARIES}/ben-u1001-usd-local`;
    expect(await bank.call('DELETE', path)).toEqual({ code: 0, msg: 'Ok' });
    expect(await bank.call('DELETE', path)).toMatchObject({ code: 2004 });
  });

  test('the list filters by every column and caps the page size at 100', async () => {
    const it = await runningSandbox();
    for (let count = 0; count < 101; count += 1) await add(it);
    const list = async (query: Record<string, string>) =>
      (await it.bank.call('GET', BENEFICIARIES, { query: { uid: 'u-1001', ...query } })).data;
    expect(await list({ payment_type: 'bsb', page_size: '1000' })).toMatchObject({
      total: 102,
      pages: 2,
      page_size: 100,
    });
    expect(await list({ payment_type: 'bsb', page_size: '100', page: '2' })).toMatchObject({
      records: [expect.anything(), { id: 'ben-u1001-aud-bsb' }],
    });
    expect(await list({ currency: 'EUR', payment_type: 'swift' })).toMatchObject({ total: 1 });
    expect(await list({ beneficiary_type: 'business' })).toMatchObject({ total: 0, pages: 0, records: [] });
    expect(await it.bank.call('GET', BENEFICIARIES, { query: { uid: 'u-1001', page: '0' } })).toMatchObject({
      code: 2002,
    });
    expect(await it.bank.call('GET', BENEFICIARIES)).toMatchObject({ code: 2002 });
  });
});

describe('the seed', () => {
  test.each(SEED_CURRENCIES)('has payees in %s that required-details accepts', async (currency) => {
    const { bank } = await runningSandbox();
    for (const uid of ['u-1001', 'u-1002']) {
      const { data } = await bank.call('GET', BENEFICIARIES, { query: { uid, currency } });
      expect(data.records).toHaveLength(2);
      for (const { id, items, beneficiary_type, payment_type } of data.records) {
        const body = { ...items, uid, currency, beneficiary_type, payment_type };
        expect(await bank.call('POST', BENEFICIARIES, { body }), id).toMatchObject({ code: 0 });
      }
    }
  });
});
