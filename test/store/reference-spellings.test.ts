import { expect, it } from 'vitest';
import { spellingsOf } from '../../src/domain/reference-form.ts';
import { onEveryStore } from './stores.ts';

const SENT = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';
const CAPITAL = spellingsOf(SENT, SENT.toUpperCase());

onEveryStore('The spelling of references', (test) => {
  it('is kept for all who open the store, and lost for ever by an order that contradicts it', async () => {
    const store = await test.open();
    expect(await store.referenceSpellings()).toBeUndefined();
    expect(await store.narrowReferenceSpellings(CAPITAL)).toEqual(CAPITAL);
    const other = await test.open();
    expect(await other.referenceSpellings()).toEqual(CAPITAL);
    expect(await other.narrowReferenceSpellings(spellingsOf(SENT, SENT))).toEqual([]);
    expect(await store.narrowReferenceSpellings(CAPITAL)).toEqual([]);
    expect(await store.referenceSpellings()).toEqual([]);
  });

  it('can be asked for the references that were sent and begin alike', async () => {
    const store = await test.open();
    const twin = `${SENT.slice(0, 18)}-other`;
    for (const reference of [SENT, twin, SENT.replace('0f8b', '0f8c'), SENT.slice(0, 15)]) {
      await store.recordAttempt({ reference, attempt: 1, runId: 'run-1', activityId: '7', sentAt: 1_000 });
    }
    expect((await store.referencesSentBeginning(SENT.slice(0, 16))).sort()).toEqual([SENT, twin].sort());
    expect(await store.referencesSentBeginning('ffffffff-ffff-5f')).toEqual([]);
  });
});
