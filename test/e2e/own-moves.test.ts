import { describe, expect, it } from 'vitest';
import { type Ended, stackOfFile } from '../support/command.ts';
import { until } from '../support/until.ts';
import { bookedOrders } from './books.ts';
import { errorOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

/** One stack that `dev` keeps up. */
const home = stackOfFile({ PAYOUTS_TIME_SCALE: '0.05', PAYOUTS_TRANSFER_ACROSS_USERS: 'true' });

interface Moved {
  payout: { reference: string; workflowId: string; kind: string; state: string; orderId: string | null };
}

const movedIn = (ended: Ended) => (JSON.parse(ended.stdout) as Moved).payout;

const transfer = (id: string, ...more: string[]): string[] => [
  ...['transfer', '--id', id, '--uid', 'u-1001', '--from', 'acc-u1001-usd', '--to', 'acc-u1002-usd'],
  ...['--amount', '12.50', '--json', ...more],
];
const exchange = (id: string, ...more: string[]): string[] => [
  ...['exchange', '--id', id, '--uid', 'u-1001', '--sell', 'acc-u1001-eur', '--buy', 'acc-u1001-usd'],
  ...['--amount', '100.00', '--currency', 'USD', '--json', ...more],
];
const ordersUnder = (reference: string) => bookedOrders(home.path).filter((order) => order.reference === reference);

describe.concurrent.each([
  ['transfer', 'TRANSFER', transfer],
  ['exchange', 'FX', exchange],
] as const)('payouts %s', (kind, type, command) => {
  it('moves the money once, shows its plan, and knows the document again', async () => {
    const ended = await home.payouts(...command(`${kind}-1`, '--yes'));
    expect(ended.stderr).toMatch(
      kind === 'transfer' ? /fee now: 0\.00 USD/ : /buy 100\.00 USD for [\d.,]+ EUR at [\d.]+ now/,
    );
    expect(ended.code).toBe(0);
    const payout = movedIn(ended);
    expect(payout).toMatchObject({ kind, state: 'completed', workflowId: `${kind}/${payout.reference}` });
    expect(ordersUnder(payout.reference)).toMatchObject([{ type, order_id: payout.orderId }]);
    const again = await home.payouts(...command(`${kind}-1`, '--yes'));
    expect(again.code).toBe(8);
    expect(errorOf(again).error.code).toBe('already-taken');
    expect(ordersUnder(payout.reference)).toHaveLength(1);
    for (const id of [`${kind}-1`, payout.reference, payout.workflowId, payout.orderId ?? '']) {
      const status = await home.payouts('status', id, '--json');
      expect(movedIn(status)).toMatchObject({ reference: payout.reference, state: 'completed' });
    }
    const named = await home.payouts('reference', 'u-1001', `${kind}-1`, '--kind', kind, '--json');
    expect(JSON.parse(named.stdout)).toMatchObject({ reference: payout.reference, workflowId: payout.workflowId });
  });

  it('takes an id only once, for any purpose', async () => {
    await home.payouts(...command(`${kind}-2`, '--yes'));
    const changed = await home.payouts(...command(`${kind}-2`, '--yes', '--note', 'another'));
    expect(changed.code).toBe(3);
    expect(errorOf(changed).findings).toMatchObject([{ column: '--id', rule: 'id-reused' }]);
    const other = await home.payouts(...(kind === 'transfer' ? exchange : transfer)(`${kind}-2`, '--yes'));
    expect(errorOf(other).findings).toMatchObject([{ column: '--id', rule: 'id-reused' }]);
    const file = home.file(`${kind}.csv`, csvOf([{ id: `${kind}-2` }]));
    const run = await home.payouts('run', file, '--yes', '--json');
    expect(run.code).toBe(3);
    expect(errorOf(run).findings).toMatchObject([{ rule: 'id-reused', row: 1 }]);
  });

  it('is left to itself by --detach, approved by `approve`, and followed by the same command', async () => {
    const detached = await home.payouts(...command(`${kind}-3`, '--yes', '--detach', '--note', 'sandbox:audit'));
    expect(detached.code).toBe(0);
    const { reference } = movedIn(detached);
    const stateNow = async () => movedIn(await home.payouts('status', reference, '--json')).state;
    await until(async () => (await stateNow()) === 'awaiting-bank-approval');
    const open = await home.payouts(...command(`${kind}-3`, '--yes', '--note', 'sandbox:audit', '--timeout', '100ms'));
    expect(open.code).toBe(6);
    expect((await home.payouts('approve', `${kind}-3`, '--by', 'alice', '--yes')).code).toBe(0);
    const followed = await home.payouts(...command(`${kind}-3`, '--yes', '--note', 'sandbox:audit'));
    expect([0, 8]).toContain(followed.code);
    await until(async () => (await stateNow()) === 'completed');
    expect(ordersUnder(reference)).toHaveLength(1);
  });

  it('is cancelled before its day', async () => {
    const detached = await home.payouts(...command(`${kind}-4`, '--yes', '--detach', '--execute-on', '2999-01-01'));
    const { reference } = movedIn(detached);
    await until(async () => movedIn(await home.payouts('status', reference, '--json')).state === 'scheduled');
    expect((await home.payouts('cancel', reference, '--by', 'alice', '--yes')).code).toBe(0);
    expect(movedIn(await home.payouts('status', reference, '--json'))).toMatchObject({ state: 'cancelled' });
    expect(ordersUnder(reference)).toEqual([]);
  });

  it('says in one pass what is wrong, and sends nothing', async () => {
    const [from, to] = kind === 'transfer' ? ['--from', '--to'] : ['--sell', '--buy'];
    const wrong = await home.payouts(...command(`${kind}-5`, '--yes', '--amount', '1.005', to, 'acc-u1001-gbp'));
    expect(wrong.code).toBe(3);
    const rules = errorOf(wrong).findings.map(({ column, rule }) => `${column} ${rule}`);
    expect(rules.toSorted()).toEqual(
      kind === 'transfer' ? ['--amount too-many-decimals', '--to account-currency'] : ['--amount too-many-decimals'],
    );
    const unknown = await home.payouts(...command(`${kind}-5`, '--yes', from, 'acc-nobody'));
    expect(errorOf(unknown).findings).toMatchObject([{ column: from, rule: 'account-not-found' }]);
    expect((await home.payouts(...command(`${kind}-5`))).code).toBe(2);
    expect((await home.payouts('status', `${kind}-5`)).code).toBe(2);
  });
});
