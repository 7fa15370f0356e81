import { describe, expect, it, onTestFinished } from 'vitest';
import { createBank } from '../../src/bank/client.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { acceptKey, assertBankFits, bindStore, checkAtStart } from '../../src/platform/store-binding.ts';
import type { Store } from '../../src/store/store.ts';
import { answer, inOrder, ok, type Script, scriptedBank } from '../bank/support/scripted-bank.ts';
import { newStore } from '../support/empty-store.ts';

const OURS = ['m-usd', 'm-eur'];
const log = createLog('silent');

const showing = (...ids: string[]): Script =>
  ok(ids.map((id) => ({ uid: 'master', account_id: id, currency: 'USD', balance: '1.00', frozen: '0.00' })));
/** Refused in a way that is not asked again. */
const unshown = answer(200, { code: 2009, msg: 'Unsupported' });

/** A process that works with this store at a bank that answers its reads of accounts like this. */
async function processOf(store: Store, script: Script, cluster = 'cluster-1', key = 'first') {
  const server = await scriptedBank(script);
  const bank = createBank({ baseUrl: server.baseUrl, apiKey: 'k', apiSecret: 's' });
  onTestFinished(async () => {
    await bank.close();
    await server[Symbol.asyncDispose]();
  });
  const config = loadConfig({ PAYOUTS_API_URL: 'http://127.0.0.1:1', PAYOUTS_API_KEY: key });
  return {
    bank,
    config,
    asked: server.seen,
    open: () => bindStore({ config, store, bank, temporal: { cluster, namespace: 'pay' } }),
  };
}

it('asks the bank once, for any number of callers', async () => {
  const { open, asked } = await processOf(await newStore(), showing(...OURS));
  const binding = await open();
  expect(asked).toEqual([]);
  await Promise.all([binding.assert(), binding.assert(), binding.assert()]);
  await binding.assert();
  expect(asked.map(({ target }) => target)).toEqual(['/v1/banking/accounts']);
});

it('keeps digests of the accounts, which differ from store to store', async () => {
  const stores = [await newStore(), await newStore()];
  const kept: (readonly string[] | undefined)[] = [];
  for (const store of stores) {
    await (await (await processOf(store, showing(...OURS))).open()).assert();
    const { accounts } = await store.identity();
    for (const digest of accounts ?? []) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    kept.push(accounts);
  }
  expect(new Set(kept.flat()).size).toBe(4);
});

it('belongs to a bank from the first time that it shows its accounts', async () => {
  const store = await newStore();
  const typo = await processOf(store, unshown);
  await checkAtStart(await typo.open(), log);
  expect(await store.identity()).toEqual({ cluster: 'cluster-1', namespace: 'pay' });
  await (await (await processOf(store, showing(...OURS))).open()).assert();
  expect((await store.identity()).bank).toBe('http://127.0.0.1:1');
});

it('refuses the key of another customer of the same bank', async () => {
  const store = await newStore();
  await (await (await processOf(store, showing(...OURS))).open()).assert();
  const other = await (await processOf(store, showing('other-usd', 'other-eur'))).open();
  await expect(other.assert()).rejects.toMatchObject({ part: 'accounts' });
  await expect(checkAtStart(other, log)).rejects.toMatchObject({ part: 'accounts' });
});

it('goes on with a bank that opens an account', async () => {
  const store = await newStore();
  await (await (await processOf(store, showing(...OURS))).open()).assert();
  await (await (await processOf(store, showing(...OURS, 'm-gbp'))).open()).assert();
  expect((await store.identity()).accounts).toHaveLength(3);
});

it('comes up without the bank, and sends nothing before it has shown its accounts', async () => {
  const store = await newStore();
  const { open, asked } = await processOf(store, inOrder(unshown, unshown, showing(...OURS)));
  const binding = await open();
  await checkAtStart(binding, log);
  await expect(binding.assert()).rejects.toMatchObject({ condition: 'unsupported' });
  await binding.assert();
  await binding.assert();
  expect(asked).toHaveLength(3);
});

it('knows what it has found while the store is away, until a send finds otherwise', async () => {
  const store = await newStore();
  let isAway = false;
  const identify: Store['identify'] = (parts) =>
    isAway ? Promise.reject(new Error('no store')) : store.identify(parts);
  const { open } = await processOf({ ...store, identify }, showing(...OURS));
  const binding = await open();
  isAway = true;
  await expect(binding.assertOnce()).rejects.toThrow('no store');
  isAway = false;
  await binding.assertOnce();
  isAway = true;
  await expect(binding.assert()).rejects.toThrow('no store');
  await binding.assertOnce();
  isAway = false;
  await store.forgetIdentity({ parts: ['cluster'], by: 'alice', at: 1 });
  await (await processOf(store, showing(...OURS), 'cluster-2')).open();
  await expect(binding.assert()).rejects.toMatchObject({ part: 'cluster' });
  await expect(binding.assertOnce()).rejects.toMatchObject({ part: 'cluster' });
});

it('refuses another Temporal before it asks the bank', async () => {
  const store = await newStore();
  await (await processOf(store, showing(...OURS))).open();
  const { open, asked } = await processOf(store, showing(...OURS), 'cluster-2');
  await expect(open()).rejects.toMatchObject({ part: 'cluster', recorded: 'cluster-1', given: 'cluster-2' });
  expect(asked).toEqual([]);
});

it('finds at the next order that somebody has moved the store to another Temporal', async () => {
  const store = await newStore();
  const binding = await (await processOf(store, showing(...OURS))).open();
  await binding.assert();
  await store.forgetIdentity({ parts: ['cluster', 'namespace'], by: 'alice', at: 1 });
  await (await processOf(store, showing(...OURS), 'cluster-2')).open();
  await expect(binding.assert()).rejects.toMatchObject({ part: 'cluster' });
});

it('a command compares its key with what is on record, and records nothing by itself', async () => {
  const store = await newStore();
  const other = await processOf(store, showing('other-usd'));
  await assertBankFits(other.config, store, other.bank);
  expect(await store.identity()).toEqual({});
  expect(other.asked).toEqual([]);
  const { bank, config, open } = await processOf(store, showing(...OURS));
  await (await open()).assert();
  await assertBankFits(config, store, bank);
  await expect(assertBankFits(other.config, store, other.bank)).rejects.toMatchObject({ part: 'accounts' });
  await assertBankFits(config, store, (await processOf(store, unshown)).bank);
});

describe('another API key', () => {
  const REFERENCE = 'b5fd8b1c-4a52-5f3e-9d9a-0c2f4f6a7e11';
  const orderOf = (reference: string | undefined): Script =>
    ok({ order_id: 'o-2', client_order_id: reference, status: 'COMPLETED' });
  const another = (store: Store, ...scripts: Script[]) =>
    processOf(store, inOrder(showing(...OURS), ...scripts), 'cluster-1', 'second');

  /** A store of the first key, from which orders were sent. */
  async function usedStore(...outcomes: ('accepted' | 'ambiguous' | 'not-sent')[]): Promise<Store> {
    const store = await newStore();
    await (await (await processOf(store, showing(...OURS))).open()).assert();
    for (const [index, outcome] of outcomes.entries()) {
      const its = { reference: index === 1 ? REFERENCE : `reference-${index}`, attempt: 1 };
      await store.recordAttempt({ ...its, runId: 'r', activityId: '1', sentAt: index, listedFrom: index });
      const orderId = outcome === 'accepted' ? `o-${index + 1}` : undefined;
      await store.finishAttempt(its.reference, 1, { outcome, orderId });
    }
    return store;
  }

  it.each([
    ['as sent', REFERENCE],
    ['respelled', REFERENCE.toUpperCase()],
    ['cut', REFERENCE.slice(0, 20)],
  ])('counts once it has shown the last order under its reference, %s, and is not asked again', async (_, shown) => {
    const store = await usedStore('accepted', 'accepted', 'not-sent');
    const { open, asked } = await another(store, orderOf(shown));
    const binding = await open();
    await binding.assert();
    await binding.assert();
    expect(asked.map(({ target }) => target)).toEqual(['/v1/banking/accounts', '/v1/banking/transactions/o-2']);
    expect((await store.identity()).key).toHaveLength(2);
    const again = await another(store);
    await (await again.open()).assert();
    await (await (await processOf(store, showing(...OURS))).open()).assert();
    expect(again.asked).toHaveLength(1);
  });

  it.each([
    ['another reference', orderOf('b5fd8b1c-4a52-5f3e-9d9a-000000000000')],
    ['no reference', orderOf(undefined)],
    ['no such order', answer(200, { code: 2005, msg: 'Order not found' })],
  ])('of a customer whose accounts coincide is refused: it shows %s', async (_, script) => {
    const store = await usedStore('accepted', 'accepted');
    const { open, asked, config } = await another(store, script);
    const binding = await open();
    const refused = await binding.assert().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'wrong-store', part: 'key' });
    expect(String(refused)).toMatch(/PAYOUTS_API_KEY.*doctor --accept key/);
    await expect(binding.assert()).rejects.toBe(refused);
    expect(asked).toHaveLength(2);
    expect((await store.identity()).key).toHaveLength(1);
    await expect(assertBankFits(config, store, (await another(store, script)).bank)).rejects.toMatchObject({
      part: 'key',
    });
    await acceptKey(config, store);
    await (await (await another(store)).open()).assert();
  });

  it('waits until the bank has answered', async () => {
    const store = await usedStore('accepted', 'accepted');
    const { open } = await another(store, unshown, orderOf(REFERENCE));
    const binding = await open();
    await expect(binding.assert()).rejects.toMatchObject({ condition: 'unsupported' });
    await binding.assert();
  });

  it.each(['ambiguous', 'not-sent'] as const)(
    'is refused where no order can show it: the only one was %s',
    async (outcome) => {
      const store = await usedStore(outcome);
      await expect((await (await another(store)).open()).assert()).rejects.toMatchObject({ part: 'key' });
      expect((await store.identity()).key).toHaveLength(1);
    },
  );

  it('is kept as a digest that differs from store to store', async () => {
    const keys = await Promise.all(
      [usedStore(), usedStore()].map(async (store) => (await (await store).identity()).key),
    );
    expect(keys.flat().every((digest) => /^[0-9a-f]{64}$/.test(digest ?? ''))).toBe(true);
    expect(new Set(keys.flat()).size).toBe(2);
  });
});
