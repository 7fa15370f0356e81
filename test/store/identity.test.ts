import { expect, it } from 'vitest';
import { StoreIdentityError } from '../../src/store/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { onEveryStore } from './stores.ts';

const GIVEN = { bank: 'https://bank.example', namespace: 'default' };

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
    expect(await store.identity()).toBeUndefined();
    await store.identify(GIVEN);
    await store.identify(GIVEN);
    expect(await (await test.open()).identity()).toEqual(GIVEN);
  });

  it.each([
    ['bank', 'https://other.example', 'PAYOUTS_API_URL'],
    ['namespace', 'other', 'TEMPORAL_NAMESPACE'],
  ] as const)('refuses another %s and says how to go on', async (part, given, setting) => {
    const store = await test.open();
    await store.identify(GIVEN);
    const refused = await store.identify({ ...GIVEN, [part]: given }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreIdentityError);
    expect(refused).toMatchObject({ part, recorded: GIVEN[part], given });
    expect(String(refused)).toContain(setting);
    expect(await store.identity()).toEqual(GIVEN);
  });

  it('is that of one of two that come first at the same time', async () => {
    const [first, second] = [await test.open(), await test.open()];
    const other = { bank: 'https://other.example', namespace: 'other' };
    const results = await Promise.allSettled([first.identify(GIVEN), second.identify(other)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect([GIVEN, other]).toContainEqual(await first.identity());
  });
});
