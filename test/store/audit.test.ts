import { expect, it } from 'vitest';
import { onEveryStore } from './stores.ts';

onEveryStore('The audit', (test) => {
  it('keeps what was done to a subject in the order it was written', async () => {
    const store = await test.open();
    const first = { at: 5_000, actor: 'ann', action: 'approve', subject: 'ref', detail: { note: 'checked' } };
    const second = { at: 4_000, actor: 'bob', action: 'reject', subject: 'ref', detail: {} };
    await store.audit(first);
    await store.audit({ ...first, subject: 'other' });
    await store.audit(second);
    expect(await store.auditOf('ref')).toEqual([first, second]);
  });
});
