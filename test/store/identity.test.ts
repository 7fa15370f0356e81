import { expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { StoreIdentityError } from '../../src/store/store-errors.ts';
import { onEveryStore } from './stores.ts';

const GIVEN = { bank: 'https://bank.example', accounts: ['a', 'b'], cluster: 'cluster-1', namespace: 'default' };

onEveryStore('The id of a store', (test) => {
  it('is made with the store and stays', async () => {
    const { id } = await test.open();
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect((await test.open()).id).toBe(id);
  });

  it('is one for all that open a new store at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => test.open()));
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
  });

  it('differs from store to store', async () => {
    const other = await openStore('file::memory:');
    expect(other.id).not.toBe((await test.open()).id);
    await other.close();
  });
});

onEveryStore('The identity of a store', (test) => {
  it('is recorded at first use and holds afterwards', async () => {
    const store = await test.open();
    expect(await store.identity()).toEqual({});
    await store.identify(GIVEN);
    await store.identify(GIVEN);
    expect(await (await test.open()).identity()).toEqual(GIVEN);
  });

  it('may be set part by part', async () => {
    const store = await test.open();
    await store.identify({ bank: GIVEN.bank });
    await store.identify({ cluster: GIVEN.cluster, namespace: GIVEN.namespace });
    await store.identify({ accounts: GIVEN.accounts });
    expect(await store.identity()).toEqual(GIVEN);
  });

  it.each([
    ['bank', 'https://other.example', 'PAYOUTS_API_URL', '--accept bank'],
    ['cluster', 'cluster-2', 'TEMPORAL_ADDRESS', '--accept temporal'],
    ['namespace', 'other', 'TEMPORAL_NAMESPACE', '--accept temporal'],
  ] as const)('refuses another %s and says how to go on', async (part, given, setting, way) => {
    const store = await test.open();
    await store.identify(GIVEN);
    const refused = await store.identify({ ...GIVEN, [part]: given }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreIdentityError);
    expect(refused).toMatchObject({ part, recorded: GIVEN[part], given });
    expect(String(refused)).toContain(setting);
    expect(String(refused)).toContain(way);
    expect(await store.identity()).toEqual(GIVEN);
  });

  it('grows by the accounts that a bank opens', async () => {
    const store = await test.open();
    await store.identify(GIVEN);
    await store.identify({ ...GIVEN, accounts: ['c', 'b', 'a'] });
    expect((await store.identity()).accounts?.toSorted()).toEqual(['a', 'b', 'c']);
    await expect(store.identify(GIVEN)).rejects.toMatchObject({ part: 'accounts' });
  });

  it.each([[['a']], [['x', 'y']], [[]]])('refuses a key that sees %j, and names no account', async (accounts) => {
    const store = await test.open();
    await store.identify({ ...GIVEN, accounts: ['digest-1', 'digest-2', 'a'] });
    const refused = await store.identify({ ...GIVEN, accounts }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ part: 'accounts', recorded: '3 master accounts' });
    expect(String(refused)).toContain('PAYOUTS_API_KEY');
    expect(String(refused)).not.toContain('digest');
  });

  it('loses none of the accounts that several processes add at once', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => test.open()));
    await stores[0]?.identify(GIVEN);
    await Promise.all(stores.map((store, n) => store.identify({ accounts: ['a', 'b', `new-${n}`] }).catch(() => {})));
    const known = (await (await test.open()).identity()).accounts ?? [];
    expect(known).toEqual(expect.arrayContaining(['a', 'b']));
    expect(new Set(known).size).toBe(known.length);
    expect(known.length).toBeGreaterThan(2);
  });

  it('is that of one of two that come first at the same time', async () => {
    const [first, second] = [await test.open(), await test.open()];
    const other = { bank: 'https://other.example', accounts: ['x'], cluster: 'cluster-2', namespace: 'other' };
    const results = await Promise.allSettled([first.identify(GIVEN), second.identify(other)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect([GIVEN, other]).toContainEqual(await first.identity());
  });

  it('is recorded anew, part by part, once somebody has said that it has changed', async () => {
    const store = await test.open();
    await store.identify(GIVEN);
    await store.forgetIdentity({ parts: ['accounts'], by: 'alice', at: 7 });
    await expect(store.identify({ ...GIVEN, bank: 'https://other.example' })).rejects.toMatchObject({ part: 'bank' });
    await store.identify({ ...GIVEN, accounts: ['x'] });
    expect(await store.identity()).toEqual({ ...GIVEN, accounts: ['x'] });
    expect(await store.auditEntriesOf(store.id)).toEqual([
      {
        at: 7,
        actor: 'alice',
        action: 'forget-identity',
        subject: store.id,
        detail: { accounts: '2 master accounts' },
      },
    ]);
  });
});
