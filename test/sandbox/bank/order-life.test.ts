import { describe, expect, test } from 'vitest';
import { accountOf, orderOf, pay, runningSandbox, START } from '../running-sandbox.ts';

const FULL = { balance: '1000000.00', frozen: '0.00' };

describe('the life of an order', () => {
  test('holds amount and fee at acceptance and pays both out at the end', async () => {
    const { sandbox, bank } = await runningSandbox();
    const orderId = await pay(bank);
    expect(await accountOf(bank)).toMatchObject({ balance: '999899.00', frozen: '101.00' });
    sandbox.clock.advance(1_499);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'SUBMITTED' });
    sandbox.clock.advance(1);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'COMPLETED', fee: '1.00', updated_at: START + 1_500 });
    expect(await accountOf(bank)).toMatchObject({ balance: '999899.00', frozen: '0.00' });
    const usd = sandbox.checkConservation().totals.find(({ currency }) => currency === 'USD');
    expect(usd).toMatchObject({ fees: '1.00', held: '0.00' });
  });

  test.each([
    ['sandbox:fail', 'FAILED', FULL],
    ['sandbox:close', 'CLOSED', FULL],
    ['sandbox:stuck', 'SUBMITTED', { balance: '999899.00', frozen: '101.00' }],
  ])('the note %s ends in %s', async (note, status, money) => {
    const { sandbox, bank } = await runningSandbox();
    const orderId = await pay(bank, { note });
    sandbox.clock.advance(86_400_000);
    expect(await orderOf(bank, orderId)).toMatchObject({ status });
    expect(await accountOf(bank)).toMatchObject(money);
    expect(sandbox.checkConservation().problems).toEqual([]);
  });

  test('the note sandbox:refund is followed by one REFUND order with the same reference', async () => {
    const { sandbox, bank } = await runningSandbox();
    await pay(bank, { note: 'sandbox:refund', reference: 'sent-back' });
    sandbox.clock.advance(86_400_000);
    const query = { uid: 'u-1001', currency: 'USD', order_type: 'REFUND' };
    const { data } = await bank.call('GET', '/v1/banking/transactions', { query });
    expect(data.records).toMatchObject([
      { client_order_id: 'sent-back', direct: 'IN', status: 'COMPLETED', transaction_amount: '100.00' },
    ]);
    expect(await accountOf(bank)).toMatchObject({ balance: '999999.00', frozen: '0.00' });
  });

  test('a refund by hand leaves the note sandbox:refund the rest', async () => {
    const { sandbox, bank, proxy } = await runningSandbox();
    const orderId = await pay(bank, { note: 'sandbox:refund' });
    sandbox.clock.advance(1_500);
    await proxy('POST', `/orders/${orderId}/refund`, { amount: '60.00' });
    sandbox.clock.advance(1_000);
    const refunds = (await proxy('GET', '/state')).orders.filter(({ type }: { type: string }) => type === 'REFUND');
    expect(refunds).toMatchObject([{ transaction_amount: '60.00' }, { transaction_amount: '40.00' }]);
  });

  test('the note sandbox:refund is refused on a transfer, which nobody refunds', async () => {
    const { bank } = await runningSandbox();
    const accounts = { source_account_id: 'acc-u1001-usd', destination_account_id: 'acc-u1002-usd' };
    const body = { ...accounts, amount: '1.00', reference: 'transfer', note: 'sandbox:refund' };
    expect(await bank.call('POST', '/v1/banking/transactions/transfer', { body })).toMatchObject({ code: 2002 });
  });

  test('the note sandbox:audit makes a small order wait for approval', async () => {
    const { sandbox, bank } = await runningSandbox();
    const orderId = await pay(bank, { note: 'sandbox:audit' });
    sandbox.clock.advance(86_400_000);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'WAIT_FOR_AUDIT' });
  });

  test('a note with the prefix of the sentinels that is none of them is refused', async () => {
    const { bank } = await runningSandbox();
    await expect(pay(bank, { note: 'sandbox:faill' })).rejects.toThrow('2002');
  });

  test.each([
    ['9999.99', 'SUBMITTING'],
    ['10000.00', 'WAIT_FOR_AUDIT'],
  ])('an amount of %s goes on to %s', async (amount, status) => {
    const { sandbox, bank } = await runningSandbox();
    const orderId = await pay(bank, { amount });
    sandbox.clock.advance(200);
    expect(await orderOf(bank, orderId)).toMatchObject({ status });
  });

  test('the audit threshold of a currency can be set', async () => {
    const { sandbox, bank } = await runningSandbox({ auditThreshold: { USD: '50.00' } });
    const orderId = await pay(bank, { amount: '50.00' });
    sandbox.clock.advance(200);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'WAIT_FOR_AUDIT' });
  });

  test('an approved order goes through APPROVING and APPROVED to COMPLETED', async () => {
    const { sandbox, bank } = await runningSandbox();
    const orderId = await pay(bank, { amount: '10000.00' });
    sandbox.clock.advance(200);
    expect(await decide(bank, orderId, 'approve')).toBe(0);
    const seen: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      seen.push((await orderOf(bank, orderId)).status);
      sandbox.clock.advance(100);
    }
    expect([...new Set(seen)]).toEqual(['APPROVING', 'APPROVED', 'SUBMITTING', 'SUBMITTED', 'COMPLETED']);
  });

  test('a rejected order keeps the remark and gives the money back', async () => {
    const { sandbox, bank, proxy } = await runningSandbox();
    const orderId = await pay(bank, { amount: '10000.00' });
    sandbox.clock.advance(200);
    expect(await decide(bank, orderId, 'reject', { remark: 'wrong payee' })).toBe(0);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'REJECTING' });
    sandbox.clock.advance(200);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'REJECTED' });
    expect(await accountOf(bank)).toMatchObject(FULL);
    expect((await proxy('GET', '/state')).orders).toMatchObject([{ remark: 'wrong payee', money: 'released' }]);
  });

  test('an audit nobody answers ends CANCELLED at expired_at', async () => {
    const { sandbox, bank } = await runningSandbox();
    const orderId = await pay(bank, { amount: '10000.00', expired_at: START + 60_000 });
    sandbox.clock.advance(59_999);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'WAIT_FOR_AUDIT' });
    sandbox.clock.advance(1);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'CANCELLING' });
    expect(await decide(bank, orderId, 'approve')).toBe(2011);
    sandbox.clock.advance(200);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'CANCELLED' });
    expect(await accountOf(bank)).toMatchObject(FULL);
    expect(await decide(bank, orderId, 'approve')).toBe(2008);
  });

  test('a status set by hand moves the money with it, in every direction', async () => {
    const { sandbox, bank, proxy } = await runningSandbox();
    const orderId = await pay(bank);
    for (const [status, money] of [
      ['COMPLETED', { balance: '999899.00', frozen: '0.00' }],
      ['FAILED', FULL],
      ['SUBMITTED', { balance: '999899.00', frozen: '101.00' }],
      ['A_STATUS_NOBODY_LISTED', { balance: '999899.00', frozen: '101.00' }],
      ['CANCELLED', FULL],
    ] as const) {
      await proxy('POST', `/orders/${orderId}/status`, { status });
      expect(await orderOf(bank, orderId)).toMatchObject({ status });
      expect(await accountOf(bank)).toMatchObject(money);
      expect(sandbox.checkConservation().problems).toEqual([]);
    }
  });

  test('a status set to stay is left alone by the clock', async () => {
    const { sandbox, bank, proxy } = await runningSandbox();
    const orderId = await pay(bank);
    await proxy('POST', `/orders/${orderId}/status`, { status: 'APPROVING', stay: true });
    sandbox.clock.advance(86_400_000);
    expect(await orderOf(bank, orderId)).toMatchObject({ status: 'APPROVING' });
  });

  test('a completed payment is refunded in parts, never above what was paid', async () => {
    const { sandbox, bank, proxy } = await runningSandbox();
    const orderId = await pay(bank);
    await expect(proxy('POST', `/orders/${orderId}/refund`, {})).rejects.toThrow('only a completed payment');
    sandbox.clock.advance(1_500);
    await proxy('POST', `/orders/${orderId}/refund`, { amount: '60.00' });
    await expect(proxy('POST', `/orders/${orderId}/refund`, { amount: '40.01' })).rejects.toThrow('at most');
    await proxy('POST', `/orders/${orderId}/refund`, { amount: '40.00' });
    expect(await accountOf(bank)).toMatchObject({ balance: '999999.00' });
    expect(sandbox.checkConservation().problems).toEqual([]);
  });
});

async function decide(
  bank: Parameters<typeof orderOf>[0],
  orderId: string,
  decision: 'approve' | 'reject',
  body: unknown = {},
): Promise<number> {
  return (await bank.call('POST', `/v1/banking/transactions/${orderId}/${decision}`, { body })).code;
}
