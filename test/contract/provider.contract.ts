import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { readIfThere } from '../../src/bank/bank-orders.ts';
import { BankError } from '../../src/bank/errors.ts';
import { findPayee, namedPayee } from '../../src/bank/payee-lists.ts';
import { addDecimals, decimalsEqual } from '../../src/domain/money.ts';
import { orderDifferences } from '../../src/domain/order-judgement.ts';
import { stageMeaning } from '../../src/domain/order-status.ts';
import type { BankCondition } from '../../src/domain/submission.ts';

/** A bank behind the seam, and what a test needs of it. */
export interface ProviderTarget {
  bank: Bank;
  uid: string;
  /** In USD, with money, used by nobody else. */
  accountId: string;
  frozenAccountId: string;
  paymentType: string;
  /** A payee in USD, as a file names it; `account_no` may be any digits. */
  details: Readonly<Record<string, string>>;
  until<T>(read: () => Promise<T | undefined>): Promise<T>;
  close(): Promise<void>;
}

const DECIMAL = /^\d+(\.\d+)?$/;

/** What everybody outside `src/bank` relies on, for any codes, words, pages and times of the bank. */
export function providerContract(openTarget: () => Promise<ProviderTarget>): void {
  let target: ProviderTarget;
  let bank: Bank;
  let payees = 0;

  beforeAll(async () => {
    target = await openTarget();
    bank = target.bank;
  });
  afterAll(() => target?.close());

  const instruction = () => ({
    id: randomUUID(),
    uid: target.uid,
    account_id: target.accountId,
    amount: '12.34',
    currency: 'USD',
    beneficiary_type: 'personal',
    payment_type: target.paymentType,
    ...target.details,
    account_no: String(70_000_000 + payees),
  });

  const addPayee = async () => {
    payees += 1;
    const payee = await namedPayee(bank, instruction());
    const { beneficiary_id } = await bank.beneficiaries.add({ ...payee.fields, ...payee.among });
    return { payee, beneficiary_id };
  };

  const paymentBody = async (changes: object = {}) => ({
    uid: target.uid,
    account_id: target.accountId,
    beneficiary_id: (await addPayee()).beneficiary_id,
    reference: randomUUID(),
    amount: '12.34',
    currency: 'USD',
    ...changes,
  });

  const balance = async () => (await bank.accounts.get(target.accountId)).balance;

  describe('accounts', () => {
    test('one is shown by itself, by its user and by the master, in decimals', async () => {
      const own = await bank.accounts.get(target.accountId);
      expect(own).toMatchObject({ uid: target.uid, account_id: target.accountId, currency: 'USD' });
      expect(own.balance).toMatch(DECIMAL);
      expect((await bank.accounts.ofUser(target.uid)).map(({ account_id }) => account_id)).toContain(target.accountId);
      expect((await bank.accounts.master()).length).toBeGreaterThan(0);
    });
  });

  describe('beneficiaries', () => {
    test('what is asked of a payee is said in rules, and a payee that keeps them is added once and found again', async () => {
      const { payee, beneficiary_id } = await addPayee();
      expect(payee.findings).toEqual([]);
      expect((await namedPayee(bank, { ...instruction(), account_no: 'letters' })).findings).not.toEqual([]);
      expect(await bank.beneficiaries.get(beneficiary_id)).toMatchObject({ id: beneficiary_id, uid: target.uid });
      expect(await target.until(() => findPayee(bank, payee))).toMatchObject({ id: beneficiary_id });
      expect(await findPayee(bank, { ...payee, fields: { ...payee.fields, account_no: '1111' } })).toBeUndefined();
    });

    test('the list is read whole, however it is paged', async () => {
      const added: string[] = [];
      for (let n = 0; n < 5; n += 1) added.push((await addPayee()).beneficiary_id);
      const ids = await target.until(async () => {
        const { beneficiaries, stable } = await bank.beneficiaries.listAll({ uid: target.uid, currency: 'USD' });
        const seen = beneficiaries.map(({ id }) => id);
        return stable && added.every((id) => seen.includes(id)) ? seen : undefined;
      });
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  describe('payments', () => {
    test('one costs its amount and the fee that was quoted, shows what was sent, and is paid', async () => {
      const before = await balance();
      const body = await paymentBody();
      const { fee, fee_currency } = await bank.transactions.paymentFee(body);
      expect([fee, fee_currency]).toEqual([expect.stringMatching(DECIMAL), 'USD']);
      const from = Date.now() - 86_400_000;
      const { order_id } = await bank.transactions.payment(body);
      const order = await target.until(async () => {
        const shown = await bank.orders.get(order_id);
        expect(stageMeaning(shown.stage)).not.toBe('unclear');
        return shown.stage === 'paid' ? shown : undefined;
      });
      const expected = { kind: 'payment', accountId: target.accountId, ...body } as const;
      expect(orderDifferences(order, expected)).toEqual([]);
      expect(order.created_at).toBeGreaterThan(from);
      expect(decimalsEqual(addDecimals(await balance(), body.amount, fee), before)).toBe(true);
    });

    test('the same reference again makes no second order', async () => {
      const body = await paymentBody();
      const { order_id } = await bank.transactions.payment(body);
      const again = await bank.transactions.payment(body).catch((error: unknown) => error);
      if (again instanceof BankError) expect(again).toMatchObject({ condition: 'already-exists', outcome: 'exists' });
      else expect(again).toEqual({ order_id });
      const shown = await target.until(async () => {
        const { orders } = await bank.orders.listAll({ uid: target.uid, currency: 'USD' });
        const under = orders.filter(({ client_order_id }) => client_order_id === body.reference);
        return under.length > 0 ? under : undefined;
      });
      expect(shown.map((order) => order.order_id)).toEqual([order_id]);
    });

    test('what is stopped before its first byte was not sent', async () => {
      const before = await balance();
      const beforeFirstByte = () => {
        throw new Error('stopped');
      };
      const stopped = bank.transactions.payment(await paymentBody(), { beforeFirstByte });
      await expect(stopped).rejects.toMatchObject({ outcome: 'not-sent' });
      expect(await balance()).toBe(before);
    });

    test.each<[BankCondition, () => object]>([
      ['insufficient-funds', () => ({ amount: '99999999.00' })],
      ['account-not-found', () => ({ account_id: randomUUID() })],
      ['account-frozen', () => ({ account_id: target.frozenAccountId })],
      ['beneficiary-not-found', () => ({ beneficiary_id: randomUUID() })],
      ['bad-request', () => ({ amount: '0.00' })],
    ])('a refusal says "%s" and takes nothing', async (condition, changes) => {
      const before = await balance();
      const refused = bank.transactions.payment(await paymentBody(changes()));
      await expect(refused).rejects.toMatchObject({ condition, outcome: 'refused', retryable: false });
      expect(await balance()).toBe(before);
    });
  });

  describe('what is not there', () => {
    test('is distinguished from a bank that does not answer', async () => {
      const id = randomUUID();
      await expect(bank.accounts.get(id)).rejects.toMatchObject({ condition: 'account-not-found', retryable: false });
      await expect(bank.beneficiaries.get(id)).rejects.toMatchObject({ condition: 'beneficiary-not-found' });
      expect(await readIfThere({ bank }, id)).toBeUndefined();
    });
  });

  describe('the order list', () => {
    test('is read whole in pages of two, from a time on, and a read shares it', async () => {
      const placed: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        placed.push((await bank.transactions.payment(await paymentBody({ amount: '1.00' }))).order_id);
      }
      const from = (await bank.orders.get(placed[0] ?? '')).created_at ?? 0;
      const query = { uid: target.uid, currency: 'USD', from };
      const scan = await target.until(async () => {
        const whole = await bank.orders.listAll(query, { pageSize: 2 });
        return whole.stable && whole.orders.length >= placed.length ? whole : undefined;
      });
      expect(scan.pagesRead).toBeGreaterThan(2);
      const ids = scan.orders.map(({ order_id }) => order_id);
      expect(ids).toEqual(expect.arrayContaining(placed));
      expect(new Set(ids).size).toBe(ids.length);

      const lastRead = await bank.orders.listStable(query, { pageSize: 2 });
      expect(lastRead).toMatchObject({ stable: true });
      expect(lastRead.orders.map(({ order_id }) => order_id).sort()).toEqual(ids.toSorted());
      expect((await bank.orders.listAll(query, { pageSize: 2, calls: 1 })).orders).toHaveLength(2);
      expect((await bank.orders.listAll({ ...query, type: 'FX' })).orders).toEqual([]);
      expect((await bank.orders.listAll({ ...query, from: Date.now() + 86_400_000 })).orders).toEqual([]);
    });
  });
}
