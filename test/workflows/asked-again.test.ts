import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { changePayee, until, untilReason } from '../support/payout-routes.ts';
import { ordersUnder, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until as untilTrue } from '../support/until.ts';

/** What holds when something changes after people, money or an exchange have been asked for once. */
describe.concurrent('a payout that has asked before', () => {
  const lengthOf = async (handle: { describe(): Promise<{ historyLength: number }> }): Promise<number> =>
    Number((await handle.describe()).historyLength);

  it('does not read an order in a loop once the patience is over, while its audit waits and something else is searched for', async () => {
    await using product = await startProduct({ terms: { waits: { patienceMs: 3_000, pollMaxMs: 1_000 } } });
    const handle = await product.start({ id: 'loop', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    const reference = referenceOf('u-1001', 'loop');
    await handle.signal('orderChanged', { reference, orderId: 'unreal', status: 'COMPLETED' } as never);
    await pause(6_000);
    const before = await lengthOf(handle);
    await pause(5_000);
    expect((await lengthOf(handle)) - before).toBeLessThan(100);
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('asks once more where more people have to approve than did', async () => {
    const rules = [{ approvals: 1 }];
    await using product = await startProduct({ settings: { approvalRules: rules } });
    const refused = { operation: 'transactions.payment', kind: 'code', code: 2010, commit: false, times: 3 };
    await product.sandboxTest('POST', 'faults', refused);
    const handle = await product.start({ id: 'raised' }, { by: 'maker' });
    await until(handle, 'awaiting-approval');
    await handle.signal('approve', { by: 'alice' });
    await until(handle, 'awaiting-funds');
    rules.splice(0, 1, { approvals: 2 });
    await until(handle, 'awaiting-approval');
    for (const by of ['alice', 'bob']) await handle.signal('approve', { by });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('has its whole patience for a shortage after the exchange', async () => {
    // Longer than a busy machine needs to read again after each deposit.
    const fundsPatienceMs = 20_000;
    await using product = await startProduct({
      terms: { waits: { fundsPatienceMs } },
      sandbox: { auditThreshold: { EUR: '1.00' } },
    });
    const poor = { uid: 'u-1001', currency: 'EUR', account_id: 'acc-poor-eur', balance: '1.00' };
    await product.sandboxTest('POST', 'accounts', poor);
    const refused = { operation: 'transactions.payment', kind: 'code', code: 2010, commit: false, times: 1 };
    await product.sandboxTest('POST', 'faults', refused);
    const handle = await product.start({ id: 'patience', account_id: 'acc-poor-eur' });
    await until(handle, 'awaiting-funds');
    await product.sandboxTest('POST', 'accounts/acc-poor-eur/deposit', { amount: '100.00' });
    await until(handle, 'awaiting-bank-approval');
    await pause(fundsPatienceMs);
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('asks for no exchange again that the bank has refused for want of money before the money is there', async () => {
    let isShort = false;
    let asked = 0;
    await using product = await startProduct({
      bank: (bank) => ({
        ...bank,
        accounts: {
          ...bank.accounts,
          async get(id) {
            const account = await bank.accounts.get(id);
            return isShort ? { ...account, balance: '1.00' } : account;
          },
        },
        transactions: {
          ...bank.transactions,
          async fx(...given) {
            asked += 1;
            // Somebody else has taken the money between the reading and the order.
            isShort = asked === 1;
            return bank.transactions.fx(...given);
          },
        },
      }),
    });
    const refused = { operation: 'transactions.fx', kind: 'code', code: 2010, commit: false, times: 1 };
    await product.sandboxTest('POST', 'faults', refused);
    const handle = await product.start({ id: 'short', account_id: 'acc-u1001-eur' });
    await until(handle, 'awaiting-funds');
    // Several times as long as the reads are apart.
    await pause(4_000);
    expect(asked).toBe(1);
    isShort = false;
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'exchange-refused-for-want-of-money');
  });

  it('pays from the account that its exchange bought into, however the bank lists them by then', async () => {
    let isReversed = false;
    await using product = await startProduct({
      sandbox: { auditThreshold: { EUR: '1.00' } },
      bank: (bank) => ({
        ...bank,
        accounts: {
          ...bank.accounts,
          async ofUser(uid) {
            const accounts = await bank.accounts.ofUser(uid);
            return isReversed ? accounts.toReversed() : accounts;
          },
        },
      }),
    });
    const second = { uid: 'u-1001', currency: 'USD', account_id: 'acc-u1001-usd-2', balance: '500.00' };
    await product.sandboxTest('POST', 'accounts', second);
    const handle = await product.start({ id: 'which', account_id: 'acc-u1001-eur' });
    await until(handle, 'awaiting-bank-approval');
    isReversed = true;
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    const [exchange] = await ordersUnder(product, referenceOf('u-1001', 'which', 'exchange'));
    const [payment] = await ordersUnder(product, referenceOf('u-1001', 'which'));
    expect(payment).toMatchObject({ transaction_account: (exchange as { buy_account?: string }).buy_account });
  });

  it('keeps on its row why people are asked about the audit again', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'again', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    await changePayee(product);
    await handle.signal('approve', { by: 'alice' });
    await untilReason(handle, 'beneficiary-changed');
    const reference = referenceOf('u-1001', 'again');
    const reasonOf = async () => (await product.store.payout(reference))?.reason?.code;
    await untilTrue(async () => (await reasonOf()) === 'beneficiary-changed');
    const before = await lengthOf(handle);
    await handle.signal('orderChanged');
    await untilTrue(async () => (await lengthOf(handle)) > before + 4);
    expect(await reasonOf()).toBe('beneficiary-changed');
  });

  it('says that an older copy of the store does not know whom it was sent to, and follows what the bank decides', async () => {
    let isForgotten = false;
    await using product = await startProduct({
      store: (store) => ({
        ...store,
        attempts: async (reference) => (isForgotten ? [] : store.attempts(reference)),
        async payout(reference) {
          const row = await store.payout(reference);
          return row && (isForgotten ? { ...row, assessed: null } : row);
        },
      }),
    });
    const handle = await product.start({ id: 'forgotten', note: 'sandbox:audit' });
    const { orderId } = await until(handle, 'awaiting-bank-approval');
    isForgotten = true;
    await handle.signal('approve', { by: 'alice' });
    await untilReason(handle, 'beneficiary-changed');
    const reference = referenceOf('u-1001', 'forgotten');
    const messageOf = async () => (await product.store.payout(reference))?.reason?.message;
    await untilTrue(async () => (await messageOf())?.endsWith('decide at the bank)') === true);
    await product.sandboxTest('POST', `orders/${orderId}/status`, { status: 'SUBMITTING' });
    expect(await handle.result()).toMatchObject({ state: 'completed', orderId });
  });
});
