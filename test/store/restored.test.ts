import { expect, it } from 'vitest';
import { openTables } from './later-build.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('A store that was restored', (test) => {
  it('may have forgotten what was sent at any time, where nothing says since when', async () => {
    const store = await test.open();
    await store.recordRestore({ at: 2_000, from: 1_900, by: 'bob', detail: {} });
    expect(await store.restored()).toEqual({ at: 2_000, from: 1_900 });
    const db = openTables(test.url());
    await db.deleteFrom('meta').where('key', '=', 'restored_from').execute();
    await db.destroy();
    expect(await store.restored()).toEqual({ at: 2_000, from: 0 });
  });

  it('says when, the last time, and who did it each time', async () => {
    const store = await test.open();
    expect((await store.restored())?.at).toBeUndefined();
    await store.recordRestore({ at: 1_000, from: 900, by: 'alice', detail: { payouts: '7' } });
    await store.recordRestore({ at: 2_000, from: 1_900, by: 'bob', detail: { payouts: '6' } });
    expect((await (await test.open()).restored())?.at).toBe(2_000);
    expect(await store.auditEntriesOf('store')).toEqual([
      { at: 1_000, actor: 'alice', action: 'restore', subject: 'store', detail: { payouts: '7' } },
      { at: 2_000, actor: 'bob', action: 'restore', subject: 'store', detail: { payouts: '6' } },
    ]);
    expect(await store.identity()).toEqual({});
  });
});
