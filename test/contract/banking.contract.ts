import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAsked } from '../../src/bank/as-asked.ts';
import { ENVELOPE_CODES } from '../../src/bank/schemas/envelope.ts';
import { ORDER_STATUSES } from '../../src/bank/schemas/order-status.ts';
import { orderPage, order as orderSchema } from '../../src/bank/schemas/orders.ts';
import { addDecimals, compareDecimals, decimalsEqual } from '../../src/domain/money.ts';
import { narrowed, type ReferenceSpelling, referenceForm, spellingsOf } from '../../src/domain/reference-form.ts';
import { type BankCalls, bankCalls, type Envelope } from './bank-calls.ts';
import type { ContractTarget } from './target.ts';

const BANKING = '/v1/banking';
const TRANSACTIONS = `${BANKING}/transactions`;
const BENEFICIARIES = `${BANKING}/beneficiaries`;

const REFUSAL_CODES = Object.keys(ENVELOPE_CODES)
  .map(Number)
  .filter((code) => code !== 0);
/** Statuses that an order leaves only by a decision, or never. */
const SETTLED_FOR = ['WAIT_FOR_AUDIT', 'COMPLETED', 'REJECTED', 'CANCELLED', 'FAILED', 'CLOSED'];
const DECIMAL = /^\d+(\.\d+)?$/;

/** A USD payee with every field of the interface's `local` entry (section 2). */
const LOCAL_DETAILS: Readonly<Record<string, string>> = {
  account_name: 'Contract Payee',
  first_name: 'Contract',
  last_name: 'Payee',
  mobile: '+10000000000',
  region_country: 'US',
  aba_routing_code: '000000000',
  account_no: '00001234',
  address_country: 'US',
  address_state: 'Sample State',
  address_city: 'Sample City',
  address_suburb: 'Sample City',
  address_address1: '1 Sample Street',
};

/**
 * What any bank of the interface must show, by any author. Asserts what the interface says (sections 1 to 8) and nothing
 * it leaves open: which code a condition gets is not shown, so a refusal is "a listed code other than 0".
 */
export function bankingContract(openTarget: () => Promise<ContractTarget>): void {
  let target: ContractTarget;
  let bank: BankCalls;

  beforeAll(async () => {
    target = await openTarget();
    bank = await bankCalls(target.baseUrl, target.key, target.secret);
  });
  afterAll(() => target?.close());

  const get = (path: string, query?: Record<string, string>) => bank.call('GET', path, query && { query });
  const post = (path: string, body: unknown) => bank.call('POST', path, { body });
  const account = async (accountId = target.accountId) => ok(await get(`${BANKING}/accounts/${accountId}`));
  const order = async (orderId: string) => ok(await get(`${TRANSACTIONS}/${orderId}`));

  const addPayee = async (changes: Record<string, string | undefined> = {}): Promise<Envelope> =>
    post(BENEFICIARIES, {
      uid: target.uid,
      currency: 'USD',
      beneficiary_type: 'personal',
      payment_type: 'local',
      ...LOCAL_DETAILS,
      ...changes,
    });
  const newPayee = async (): Promise<string> => ok(await addPayee()).beneficiary_id;

  const paymentBody = async (changes: Record<string, unknown> = {}) => ({
    uid: target.uid,
    account_id: target.accountId,
    beneficiary_id: await newPayee(),
    reference: randomUUID(),
    amount: '12.34',
    currency: 'USD',
    ...changes,
  });
  const placedIds: string[] = [];
  const placed = async (path: string, body: unknown): Promise<string> => {
    const { order_id: orderId } = ok(await post(path, body));
    placedIds.push(orderId);
    return orderId;
  };
  const orderIn = (orderId: string, ...statuses: string[]) =>
    target.until(async () => {
      const seen = await order(orderId);
      return statuses.includes(seen.status) ? seen : undefined;
    });
  /** The account once no order placed before still moves its money. */
  const settledAccount = async () => {
    for (const orderId of placedIds.splice(0)) await orderIn(orderId, ...SETTLED_FOR);
    return account();
  };
  /** The record of an order in the list, once it is there. */
  const listed = (orderId: string) =>
    target.until(async () => {
      const { records } = ok(await get(TRANSACTIONS, { uid: target.uid, currency: 'USD', page_size: '50' }));
      return records.find((record: { order_id: string }) => record.order_id === orderId);
    });
  const ordersOf = async (reference: string) =>
    ok(await get(TRANSACTIONS, { uid: target.uid, currency: 'USD', page_size: '50' })).records.filter(
      (record: { client_order_id?: string }) => referenceForm(record.client_order_id ?? '', reference) !== 'other',
    );

  describe('authentication', () => {
    test('gives a token with its life in seconds', async () => {
      const granted = ok(await post('/v1/auth', { api_key: target.key, api_secret: target.secret }));
      expect(granted.access_token).toEqual(expect.any(String));
      expect(Number(granted.expired_in)).toBeGreaterThan(0);
    });

    test('gives no token for a wrong secret', async () => {
      const response = await bank.raw('POST', '/v1/auth', { body: { api_key: target.key, api_secret: 'wrong' } });
      expect(await response.text()).not.toContain('access_token');
    });

    test.each(['', 'no-token-of-this-bank'])('refuses a call with the token %j', async (token) => {
      const response = await bank.raw('GET', `${BANKING}/accounts`, { headers: { authorization: token } });
      const body = await response.text();
      expect(response.status === 401 || response.status === 403 || !/"code"\s*:\s*0\b/.test(body)).toBe(true);
      expect(body).not.toContain('balance');
    });
  });

  describe('accounts', () => {
    test('one account, its user and the master show balance records', async () => {
      const own = await account();
      expect(own).toMatchObject({ uid: target.uid, account_id: target.accountId, currency: 'USD' });
      const ofUser = ok(await get(`${BANKING}/users/${target.uid}`));
      const ofMaster = ok(await get(`${BANKING}/accounts`));
      expect(ofUser.map((record: { account_id: string }) => record.account_id)).toContain(target.accountId);
      expect(ofMaster.length).toBeGreaterThan(0);
      for (const record of [own, ...ofUser, ...ofMaster]) {
        expect(record.balance).toMatch(DECIMAL);
        expect(record.frozen).toMatch(DECIMAL);
        expect(record.updated_at).toBeGreaterThan(1_000_000_000_000);
      }
    });

    test('an account nobody has is refused', async () => {
      refused(await get(`${BANKING}/accounts/${randomUUID()}`));
    });
  });

  describe('beneficiaries', () => {
    test('USD personal asks for the documented fields', async () => {
      const entries = ok(
        await get(`${BENEFICIARIES}/required-details`, { currency: 'USD', beneficiary_type: 'personal' }),
      );
      for (const [paymentType, fields] of Object.entries(USD_PERSONAL)) {
        const entry = entries.find((candidate: { payment_type: string }) => candidate.payment_type === paymentType);
        const shown = entry.fields.map(({ field, required, regex, data_type }: Record<string, unknown>) => [
          field === 'address_suburb' ? 'address_city' : field,
          { required, regex, number: data_type === 'number' },
        ]);
        expect(Object.fromEntries(shown)).toEqual(fields);
      }
    });

    test('one is added, read, listed, updated and deleted', async () => {
      const id = await newPayee();
      const shown = ok(await get(`${BENEFICIARIES}/${id}`));
      const { address_suburb: _suburb, address_city: _city, ...details } = LOCAL_DETAILS;
      expect(shown).toMatchObject({ id, uid: target.uid, currency: 'USD', payment_type: 'local', items: details });

      const filter = {
        uid: target.uid,
        currency: 'USD',
        beneficiary_type: 'personal',
        payment_type: 'local',
        page_size: '50',
      };
      const listed = await target.until(async () => {
        const { records } = ok(await get(BENEFICIARIES, filter));
        return records.find((record: { id: string }) => record.id === id);
      });
      expect(listed.items).toEqual(shown.items);

      const update = { uid: target.uid, ...LOCAL_DETAILS, account_no: '99' };
      ok(await bank.call('PUT', `${BENEFICIARIES}/${id}`, { body: update }));
      expect(ok(await get(`${BENEFICIARIES}/${id}`)).items.account_no).toBe('99');

      ok(await bank.call('DELETE', `${BENEFICIARIES}/${id}`));
      refused(await get(`${BENEFICIARIES}/${id}`));
    });

    test('a list has pages of the size asked for, 20 when nothing is asked', async () => {
      await newPayee();
      await newPayee();
      const first = ok(await get(BENEFICIARIES, { uid: target.uid, page: '1', page_size: '1' }));
      const second = ok(await get(BENEFICIARIES, { uid: target.uid, page: '2', page_size: '1' }));
      expect(first).toMatchObject({ page: 1, page_size: 1, pages: first.total });
      expect(first.records).toHaveLength(1);
      expect(second.records[0].id).not.toBe(first.records[0].id);
      expect(ok(await get(BENEFICIARIES, { uid: target.uid }))).toMatchObject({ page: 1, page_size: 20 });
    });

    test.each([
      ['a value that does not match its regex', { aba_routing_code: 'letters' }],
      ['a required field that is missing', { last_name: undefined }],
      ['a payment type that is not offered', { payment_type: 'no-such-network' }],
    ])('refuses %s', async (_case, changes) => {
      refused(await addPayee(changes));
    });
  });

  describe('payments', () => {
    test('the fee is quoted in advance', async () => {
      const { reference: _reference, ...query } = await paymentBody();
      const quote = ok(await get(`${TRANSACTIONS}/payment/fee`, query));
      expect(quote).toMatchObject({
        uid: query.uid,
        account_id: query.account_id,
        beneficiary_id: query.beneficiary_id,
      });
      expect(quote.fee).toMatch(DECIMAL);
      expect(quote.fee_currency).toMatch(/^[A-Z]{3}$/);
    });

    test('one takes amount and fee from the balance and is completed', async () => {
      const before = await settledAccount();
      const body = await paymentBody();
      const orderId = await placed(`${TRANSACTIONS}/payment`, body);
      const done = await orderIn(orderId, 'COMPLETED');
      expect(done).toMatchObject({
        order_id: orderId,
        transaction_uid: target.uid,
        type: 'PAYMENT',
        direct: 'OUT',
        payment_type: 'local',
        transaction_account: target.accountId,
        transaction_currency: 'USD',
      });
      expect(decimalsEqual(done.transaction_amount, body.amount)).toBe(true);
      const after = await account();
      const paid = done.fee_currency === 'USD' ? addDecimals(body.amount, done.fee) : body.amount;
      expect(decimalsEqual(addDecimals(after.balance, paid), before.balance)).toBe(true);
      expect(decimalsEqual(after.frozen, before.frozen)).toBe(true);
    });

    test('the list finds it by user, currency and every filter', async () => {
      const body = await paymentBody({ amount: '23.45' });
      const orderId = await placed(`${TRANSACTIONS}/payment`, body);
      const { created_at: createdAt } = await order(orderId);
      const filter = {
        uid: target.uid,
        currency: 'USD',
        account_id: target.accountId,
        created_at_from: String(createdAt),
        create_at_to: String(createdAt),
        amount_from: '23.45',
        amount_to: '23.45',
        order_type: 'PAYMENT',
      };
      const found = await target.until(async () => {
        const { records } = ok(await get(TRANSACTIONS, filter));
        return records.find((record: { order_id: string }) => record.order_id === orderId);
      });
      expect(ORDER_STATUSES).toContain(found.status);
      for (const miss of [{ order_type: 'FX' }, { amount_from: '23.46' }, { create_at_to: String(createdAt - 1) }]) {
        const { records } = ok(await get(TRANSACTIONS, { ...filter, ...miss }));
        expect(records.map((record: { order_id: string }) => record.order_id)).not.toContain(orderId);
      }
    });

    test('an order shows its reference as it was sent, by id and in the list', async () => {
      const body = await paymentBody();
      const orderId = await placed(`${TRANSACTIONS}/payment`, body);
      const shown = await listed(orderId);
      // `respelled` and `cut` are for doctor and people to know of: an order whose answer is lost is then found only if every
      // order is spelled in the same way.
      expect({
        byId: referenceForm((await order(orderId)).client_order_id ?? '', body.reference),
        inTheList: referenceForm(shown.client_order_id ?? '', body.reference),
      }).toEqual({ byId: 'as-sent', inTheList: 'as-sent' });
    });

    test('every order shows its reference in one spelling, by id and in the list', async () => {
      let spellings: readonly ReferenceSpelling[] | undefined;
      for (let n = 0; n < 2; n += 1) {
        const body = await paymentBody();
        const orderId = await placed(`${TRANSACTIONS}/payment`, body);
        const shown = [await order(orderId), await listed(orderId)].map(({ client_order_id }) => client_order_id);
        for (const text of shown) spellings = narrowed(spellings, spellingsOf(body.reference, text ?? ''));
      }
      // None: an order whose answer is lost is found only by a reference that comes back as it was sent.
      expect(spellings?.length).toBeGreaterThan(0);
    });

    test('the same reference again makes no second order', async () => {
      const body = await paymentBody();
      const orderId = await placed(`${TRANSACTIONS}/payment`, body);
      const again = await post(`${TRANSACTIONS}/payment`, body);
      if (again.code === 0) expect(again.data.order_id).toBe(orderId);
      else refused(again);
      expect(await ordersOf(body.reference)).toHaveLength(1);
    });

    test.each([
      ['a reference of 65 characters', { reference: 'r'.repeat(65) }],
      ['no reference', { reference: undefined }],
      ['an amount of zero', { amount: '0.00' }],
      ['more than the balance', { amount: '99999999999.00' }],
      ['a beneficiary nobody has', { beneficiary_id: randomUUID() }],
      ['an account nobody has', { account_id: randomUUID() }],
      ['a charge type that is not available', { charge_type: 'OUR' }],
    ])('refuses %s and holds nothing', async (_case, changes) => {
      const before = await settledAccount();
      refused(await post(`${TRANSACTIONS}/payment`, await paymentBody(changes)));
      expect(await account()).toMatchObject({ balance: before.balance, frozen: before.frozen });
    });

    test('an order nobody has is refused', async () => {
      refused(await get(`${TRANSACTIONS}/${randomUUID()}`));
    });
  });

  // Where one of these fails, no list proves that an order is absent: a run that loses an answer waits for people.
  describe('what a list proves', () => {
    test('it shows nothing but the user, the currency and the page that were asked for', async () => {
      for (let n = 0; n < 3; n += 1) await placed(`${TRANSACTIONS}/payment`, await paymentBody({ amount: '1.00' }));
      for (const currency of ['USD', 'EUR']) {
        for (const page of [1, 2]) {
          const query = { uid: target.uid, currency, page, page_size: 2 };
          const shown = orderPage.parse(ok(await get(TRANSACTIONS, textOf(query))));
          expect(asAsked(query, shown)).toEqual({ ...shown, doubt: undefined });
          expect([shown.page ?? page, (shown.page_size ?? 0) <= 20]).toEqual([page, true]);
        }
      }
    });

    test('it shows no order from before the time asked for', async () => {
      const orderId = await placed(`${TRANSACTIONS}/payment`, await paymentBody());
      const { created_at: createdAt } = await listed(orderId);
      const since = { uid: target.uid, currency: 'USD', page_size: '50' };
      const idsFrom = async (from: number): Promise<string[]> =>
        ok(await get(TRANSACTIONS, { ...since, created_at_from: String(from) })).records.map(
          (record: { order_id: string }) => record.order_id,
        );
      expect(await idsFrom(createdAt - 1_000)).toContain(orderId);
      expect(await idsFrom(createdAt + 2_000)).not.toContain(orderId);
    });

    test('it is of now: its answers show the time, and come from no cache', async () => {
      const query = { uid: target.uid, currency: 'USD' };
      const headers = { 'cache-control': 'no-cache' };
      // A cache gives no answer to a POST.
      const posted = await bank.raw('POST', '/v1/auth', { body: { api_key: target.key, api_secret: target.secret } });
      const { headers: reported } = await bank.raw('GET', TRANSACTIONS, { query, headers });
      expect(Number(reported.get('age') ?? 0)).toBeLessThanOrEqual(5);
      const [before, now] = [posted, { headers: reported }].map((answer) =>
        Date.parse(answer.headers.get('date') ?? ''),
      );
      expect((now ?? 0) - (before ?? 0)).toBeGreaterThan(-30_000);
    });

    test('a new order is in it within a minute, and every member that decides can be read', async () => {
      const orderId = await placed(`${TRANSACTIONS}/payment`, await paymentBody());
      expect(orderSchema.parse(await listed(orderId)).unreadable).toBeUndefined();
      expect(orderSchema.parse(await order(orderId)).unreadable).toBeUndefined();
    });
  });

  describe('approval', () => {
    const auditOrder = async (changes: Record<string, unknown> = {}) => {
      const body = await paymentBody({ amount: target.auditAmount, ...changes });
      const orderId = await placed(`${TRANSACTIONS}/payment`, body);
      await orderIn(orderId, 'WAIT_FOR_AUDIT');
      return orderId;
    };

    test('a large payment holds its money, is approved and completed', async () => {
      const before = await settledAccount();
      const orderId = await auditOrder();
      const held = await account();
      expect(compareDecimals(held.frozen, addDecimals(before.frozen, target.auditAmount))).not.toBe(-1);
      ok(await post(`${TRANSACTIONS}/${orderId}/approve`, {}));
      await orderIn(orderId, 'COMPLETED');
    });

    test('a rejected one gives the money back', async () => {
      const before = await settledAccount();
      const orderId = await auditOrder();
      refused(await post(`${TRANSACTIONS}/${orderId}/reject`, {}));
      ok(await post(`${TRANSACTIONS}/${orderId}/reject`, { remark: 'not ours' }));
      await orderIn(orderId, 'REJECTED');
      const after = await account();
      expect(decimalsEqual(after.balance, before.balance)).toBe(true);
      expect(decimalsEqual(after.frozen, before.frozen)).toBe(true);
    });

    test('an order that is completed, or nobody has, cannot be approved', async () => {
      const orderId = await placed(`${TRANSACTIONS}/payment`, await paymentBody());
      await orderIn(orderId, 'COMPLETED');
      refused(await post(`${TRANSACTIONS}/${orderId}/approve`, {}));
      refused(await post(`${TRANSACTIONS}/${randomUUID()}/approve`, {}));
    });
  });

  describe('transfers', () => {
    test('money moves between accounts of the same currency', async () => {
      const masters = ok(await get(`${BANKING}/accounts`));
      const destination = masters.find(
        (record: { currency: string; account_id: string }) =>
          record.currency === 'USD' && record.account_id !== target.accountId,
      );
      const terms = {
        source_account_id: target.accountId,
        destination_account_id: destination.account_id,
        amount: '5.00',
      };
      const quote = ok(await get(`${TRANSACTIONS}/transfer/fee`, terms));
      expect(quote.fee).toMatch(DECIMAL);
      const orderId = await placed(`${TRANSACTIONS}/transfer`, { ...terms, reference: randomUUID() });
      const done = await orderIn(orderId, 'COMPLETED');
      expect(done).toMatchObject({ type: 'TRANSFER', payment_type: 'inner' });
      const after = await account(destination.account_id);
      expect(decimalsEqual(after.balance, addDecimals(destination.balance, terms.amount))).toBe(true);
      refused(await post(`${TRANSACTIONS}/transfer`, { ...terms, amount: '99999999999.00', reference: randomUUID() }));
    });
  });

  describe('exchange', () => {
    const pair = async () => {
      const accounts = ok(await get(`${BANKING}/users/${target.uid}`));
      const buy = accounts.find((record: { currency: string }) => record.currency === 'EUR');
      return { sell_account: target.accountId, buy_account: buy.account_id };
    };

    test.each(['USD', 'EUR'])('an amount in %s is quoted and booked with both sides', async (currency) => {
      const terms = { ...(await pair()), amount: '40.00', currency };
      const quote = ok(await get(`${TRANSACTIONS}/fx/quote`, terms));
      expect(quote).toMatchObject({ sell_currency: 'USD', buy_currency: 'EUR' });
      expect(quote.rate).toMatch(/^\d+\.\d{4}$/);
      expect(decimalsEqual(currency === 'USD' ? quote.sell_amount : quote.buy_amount, '40.00')).toBe(true);

      const reference = randomUUID();
      const orderId = await placed(`${TRANSACTIONS}/fx`, { ...terms, reference });
      const done = await orderIn(orderId, 'COMPLETED');
      expect(done).toMatchObject({
        type: 'FX',
        payment_type: 'exchange',
        ...(await pair()),
      });
      expect(done.rate).toMatch(/^\d+\.\d{10}$/);
      expect(decimalsEqual(currency === 'USD' ? done.sell_amount : done.buy_amount, '40.00')).toBe(true);
    });

    test('an order type that is not available is refused', async () => {
      const terms = { ...(await pair()), amount: '40.00', currency: 'USD' };
      refused(await post(`${TRANSACTIONS}/fx`, { ...terms, reference: randomUUID(), type: 'LIMIT' }));
    });
  });
}

function ok(envelope: Envelope) {
  expect(envelope).toMatchObject({ code: 0, msg: 'Ok' });
  return envelope.data;
}

const textOf = (query: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

function refused(envelope: Envelope): void {
  expect(REFUSAL_CODES).toContain(envelope.code);
}

const rule = (required: boolean, regex = '', number = false) => ({ required, regex, number });
const HOLDER = {
  account_name: rule(true),
  first_name: rule(true),
  last_name: rule(true),
  mobile: rule(true),
  region_country: rule(true),
};
const ADDRESS = {
  address_country: rule(true),
  address_state: rule(true),
  address_city: rule(true),
  address_address1: rule(true),
  address_address2: rule(false),
  address_postcode: rule(false, '^[\\d-A-Za-z]+$'),
};
/** Interface section 2, "Beneficiary required-details entry". */
const USD_PERSONAL = {
  local: {
    ...HOLDER,
    aba_routing_code: rule(true, '^[\\d ]{6,13}$', true),
    account_no: rule(true, '^[\\d ]+$', true),
    ...ADDRESS,
  },
  swift: {
    ...HOLDER,
    swift_code: rule(true, '^[a-zA-Z0-9 ]{6,15}$'),
    iban_no: rule(true, '^[a-zA-Z0-9 ]+$'),
    ...ADDRESS,
  },
};
