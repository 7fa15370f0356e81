import { expect, it } from 'vitest';
import type { Assessment } from '../../src/domain/gates.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { batchClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('saved payees', (test) => {
  const SEEN = { uid: 'user-1', digest: 'd', country: 'US', seenAt: 1_000, items: {} };

  it('are listed by name and searched by name and id, within a scope', async () => {
    const store = await test.open();
    for (const [payeeId, name] of [
      ['ben-1', 'Zeta Ltd'],
      ['ben-2', 'Alpha 100% GmbH'],
    ] as const) {
      await store.notePayee({ ...SEEN, payeeId, name: { name, asShown: name, inSmall: name } });
    }
    await store.claimBatch(batchClaim('b-1', ['a']));
    const reference = referenceOf('user-1', 'a');
    const assessed = { beneficiary: { known: true, id: 'ben-1', digest: 'd' }, digest: 'x' } as Assessment;
    await store.recordAssessment({ reference, term: 0 }, assessed, 2_000);
    await store.changePayout(reference, { state: 'completed', at: 3_000 });
    type Search = Parameters<typeof store.payeeList>[0];
    const found = async (search: Search, offset = 0): Promise<string[]> =>
      (await store.payeeList(search, { offset, limit: 9 })).map(({ payeeId }) => payeeId);
    expect(await found({})).toEqual(['ben-2', 'ben-1']);
    expect(await found({}, 1)).toEqual(['ben-1']);
    expect(await found({ text: '100%' })).toEqual(['ben-2']);
    expect(await found({ text: 'BEN-1' })).toEqual(['ben-1']);
    expect(await found({ uid: 'user-2' })).toEqual([]);
    const seenBy = (...scopes: NonNullable<Search['seenBy']>['scopes']): Search => ({
      seenBy: { name: 'bob', scopes },
    });
    expect(await found(seenBy({ currencies: ['USD'] }))).toEqual(['ben-1']);
    expect(await found(seenBy({ currencies: ['EUR'] }))).toEqual([]);
    expect(await found(seenBy())).toEqual([]);
    expect(await store.paymentsTo({ uid: 'user-1', payeeId: 'ben-1' }, 9)).toMatchObject([
      { reference, paidAt: 3_000 },
    ]);
  });
});
