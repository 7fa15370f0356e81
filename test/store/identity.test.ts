import { expect, it } from 'vitest';
import { StoreIdentityError } from '../../src/store/errors.ts';
import { onEveryStore } from './stores.ts';

const GIVEN = { bank: 'https://bank.example', namespace: 'default' };

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
