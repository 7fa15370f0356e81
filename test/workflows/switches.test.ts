import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import type { SwitchScope } from '../../src/domain/switch-scope.ts';
import { cancel, NEW_PAYEE, type PayoutHandle, switchedOffOnce, USD_SWITCH, until } from '../support/payout-routes.ts';
import { DEFAULT_PAYMENT, type Product, startProduct } from '../support/product.ts';
import { until as untilTrue } from '../support/until.ts';

const REFERENCE = referenceOf('u-1001', 'r');
const fromEuros = { account_id: 'acc-u1001-eur' };

const MATCHES: readonly (readonly [SwitchScope, string, Partial<PayoutInstruction>])[] = [
  ['everything', '', {}],
  ['uid', 'u-1001', {}],
  ['account', 'acc-u1001-usd', {}],
  ['account', 'acc-u1001-eur', fromEuros],
  ['account', 'acc-u1001-usd', fromEuros],
  ['currency', 'USD', {}],
  ['currency', 'EUR', fromEuros],
  ['payee', DEFAULT_PAYMENT.beneficiary_id, {}],
];

const OTHERS: readonly (readonly [SwitchScope, string])[] = [
  ['uid', 'u-1002'],
  ['account', 'acc-u1001-eur'],
  ['currency', 'EUR'],
  ['payee', 'ben-u1001-gbp-local'],
  ['batch', 'another'],
];

const order = (scope: SwitchScope, key: string) => ({ scope, key, reason: 'test', by: 'alice', at: 1 });

describe.concurrent('a switch that is off', () => {
  it.each(MATCHES)('holds what it matches: %s %s %j', async (scope, key, instruction) => {
    await using product = await startProduct();
    await product.store.switchOff(order(scope, key));
    const handle = await product.start({ id: 'r', ...instruction });
    const { reason } = await until(handle, 'held');
    expect(reason).toEqual({ code: 'switched-off', message: expect.stringContaining(`(${scope})`) });
    if (key !== '') expect(reason?.message).not.toContain(key);
    expect(await postsOf(product)).toEqual([]);
    await product.store.switchOn(order(scope, key));
    expect(await handle.result()).toMatchObject({ state: 'completed', reason: null });
  });

  it.each(OTHERS)('lets through what it does not match: %s %s', async (scope, key) => {
    await using product = await startProduct();
    await product.store.switchOff(order(scope, key));
    const handle = await product.start({ id: 'r' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('is seen right before the POST, although the gates were open: the attempt is over and counts as not sent', async () => {
    await using product = await startProduct({ store: (store) => switchedOffOnce(store, 'recordAttempt') });
    const handle = await product.start({ id: 'r' });
    const { reason } = await until(handle, 'held');
    expect(reason?.code).toBe('switched-off');
    expect((await product.store.attempts(REFERENCE)).map(({ outcome }) => outcome)).toEqual(['not-sent']);
    expect(await postsOf(product)).toEqual([]);
    await product.store.switchOn(USD_SWITCH);
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect((await product.store.attempts(REFERENCE)).map(({ outcome }) => outcome)).toEqual(['not-sent', 'accepted']);
  });

  it('is seen right before a payee is added', async () => {
    await using product = await startProduct({ store: (store) => switchedOffOnce(store, 'recordAttempt') });
    const handle = await product.start({ id: 'r', ...NEW_PAYEE });
    await until(handle, 'held');
    expect(await addedPayees(product)).toBe(0);
    await product.store.switchOn(USD_SWITCH);
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await addedPayees(product)).toBe(1);
  });

  it('that cannot be read keeps everything from being sent', async () => {
    let isOut = true;
    await using product = await startProduct({
      store: (store) => ({
        ...store,
        matchingSwitch: async (touched) => {
          // The gates could read it, the sender cannot.
          const sends = (await store.attempts(REFERENCE)).length > 0;
          if (isOut && sends) throw new Error('the store cannot be reached');
          return store.matchingSwitch(touched);
        },
      }),
    });
    const handle = await product.start({ id: 'r' });
    await untilTrue(async () => (await product.store.attempts(REFERENCE)).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await postsOf(product)).toEqual([]);
    isOut = false;
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await postsOf(product)).toHaveLength(1);
  });

  it('keeps the bank approval from being driven, and lets a rejection through', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'r', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    await product.store.switchOff(USD_SWITCH);
    await handle.signal('approve', { by: 'alice' });
    await untilReason(handle, 'switched-off');
    expect(await statusOf(product)).toBe('WAIT_FOR_AUDIT');
    expect(await product.store.auditEntriesOf(REFERENCE)).toContainEqual(
      expect.objectContaining({ action: 'approve held back' }),
    );
    await handle.signal('reject', { by: 'bob', remark: 'not now' });
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
  });

  it('leaves an approval that it kept back to a cancel', async () => {
    await using product = await startProduct();
    const handle = await product.start({ id: 'r', note: 'sandbox:audit' });
    await until(handle, 'awaiting-bank-approval');
    await product.store.switchOff(USD_SWITCH);
    await handle.signal('approve', { by: 'alice' });
    await untilReason(handle, 'switched-off');
    await cancel(handle, { by: 'bob', reason: 'withdrawn' });
    expect(await handle.result()).toMatchObject({ state: 'cancelled' });
  });

  it('leaves what was sent to its end: the searches go on and find the order', async () => {
    await using product = await startProduct({ store: (store) => switchedOffOnce(store, 'finishAttempt') });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-after' });
    const handle = await product.start({ id: 'r' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await product.store.switches()).toHaveLength(1);
  });

  it('keeps a lost send from being repeated until absence is proven, and then from being sent', async () => {
    await using product = await startProduct({
      terms: { referenceDedupe: 'verified' },
      store: (store) => switchedOffOnce(store, 'finishAttempt'),
    });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
    const handle = await product.start({ id: 'r' });
    await until(handle, 'held');
    expect(await product.store.attempts(REFERENCE)).toHaveLength(1);
    await product.store.switchOn(USD_SWITCH);
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await postsOf(product)).toHaveLength(1);
  });

  it('lets a held payout be rejected or cancelled', async () => {
    await using product = await startProduct();
    await product.store.switchOff(USD_SWITCH);
    const [rejected, cancelled] = await Promise.all([product.start({ id: 'r' }), product.start({ id: 'c' })]);
    await until(rejected, 'held');
    await until(cancelled, 'held');
    await rejected.signal('reject', { by: 'alice', remark: 'no' });
    await cancel(cancelled, { by: 'alice', reason: 'withdrawn' });
    expect(await rejected.result()).toMatchObject({ state: 'rejected' });
    expect(await cancelled.result()).toMatchObject({ state: 'cancelled' });
  });

  it('is no acceptance of a fee: what approves the hold of a switch approves nothing else', async () => {
    await using product = await startProduct();
    await product.store.switchOff(USD_SWITCH);
    const handle = await product.start({ id: 'r', fee_cap: '0.01' });
    await until(handle, 'held');
    await handle.signal('approve', { by: 'alice' });
    await product.store.switchOn(USD_SWITCH);
    await untilReason(handle, 'fee-above-cap');
    expect(await postsOf(product)).toEqual([]);
    await handle.signal('approve', { by: 'alice' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });
});

const untilReason = (handle: PayoutHandle, code: string): Promise<void> =>
  untilTrue(async () => (await handle.query<{ reason: { code: string } | null }>('state')).reason?.code === code);

interface SandboxState {
  orders: { client_order_id: string; type: string; status: string }[];
}

/** Orders of every kind that the payout has at the bank. */
async function postsOf(product: Product): Promise<string[]> {
  const { orders } = (await product.sandboxTest('GET', 'state')) as SandboxState;
  const references = new Set([REFERENCE, referenceOf('u-1001', 'r', 'exchange')]);
  return orders.filter((it) => references.has(it.client_order_id)).map(({ type }) => type);
}

async function statusOf(product: Product): Promise<string | undefined> {
  const { orders } = (await product.sandboxTest('GET', 'state')) as SandboxState;
  return orders.find((it) => it.client_order_id === REFERENCE)?.status;
}

async function addedPayees(product: Product): Promise<number> {
  const list = await product.bankCall('GET', '/v1/banking/beneficiaries?uid=u-1001&currency=USD&page_size=100');
  const { records } = list as { records: { items: Record<string, string> }[] };
  return records.filter(({ items }) => items.account_no === NEW_PAYEE.account_no).length;
}
