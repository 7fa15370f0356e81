import { expect, it } from 'vitest';
import { onEveryStore } from './stores.ts';

onEveryStore('When senders began anew with a store', (test) => {
  it('is unknown until a sender has opened it', async () => {
    expect(await (await test.open()).resumed()).toBeUndefined();
  });

  it('is the last time, with an entry in the audit log for each', async () => {
    const store = await test.open();
    await store.recordResumption({ at: 1_000, from: 0, why: 'new', detail: {} });
    await store.recordResumption({ at: 2_000, from: 500, why: 'restart', detail: { machine: 'a1' } });
    expect((await (await test.open()).resumed())?.at).toBe(2_000);
    expect(await store.auditEntriesOf('store')).toMatchObject([
      { at: 1_000, action: 'resume', detail: { why: 'new', from: '1970-01-01T00:00:00.000Z' } },
      { at: 2_000, action: 'resume', detail: { why: 'restart', machine: 'a1' } },
    ]);
  });

  it.each([
    ['that was never looked at: since all of them', undefined, 0],
    ['looked at before the second: since the second', 1_500, 400],
    ['looked at in the moment of the second: only since the third', 2_000, 2_500],
    ['looked at since the last: since the last', 9_000, 2_500],
  ])('reaches back, for a list %s', async (_, looked, from) => {
    const store = await test.open();
    await store.recordResumption({ at: 1_000, from: 0, why: 'new', detail: {} });
    await store.recordResumption({ at: 2_000, from: 400, why: 'restart', detail: {} });
    await store.recordResumption({ at: 3_000, from: 2_500, why: 'restart', detail: {} });
    expect(await store.resumed(looked)).toEqual({ at: 3_000, from });
  });

  it('is also when it was restored', async () => {
    const store = await test.open();
    await store.recordResumption({ at: 1_000, from: 500, why: 'restart', detail: {} });
    await store.recordRestore({ at: 2_000, from: 300, by: 'olga', detail: {} });
    expect(await store.resumed()).toEqual({ at: 2_000, from: 300 });
  });
});
