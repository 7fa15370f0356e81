import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/time.ts';
import { onEveryStore } from './stores.ts';

const signOut = (id: string, of: { subject?: string; sid?: string }) => ({
  id,
  subject: null,
  sid: null,
  issuedAt: 5_000,
  ...of,
});

onEveryStore('sign-outs', (test) => {
  it('count once, and are found by subject or session', async () => {
    const store = await test.open();
    const [both, subject] = [signOut('a', { subject: 's', sid: '1' }), signOut('b', { subject: 's' })];
    expect(await store.recordSignOut(both, 6_000)).toBe(true);
    expect(await store.recordSignOut(both, 6_001)).toBe(false);
    expect(await store.recordSignOut(subject, 6_002)).toBe(true);
    const found = (of: { subject: string; sid: string | null }) => store.signOutsOf({ ...of, issuedAt: 0 });
    expect(await found({ subject: 's', sid: null })).toEqual([both, subject]);
    expect(await found({ subject: 'other', sid: '1' })).toEqual([both]);
    expect(await found({ subject: 'other', sid: '2' })).toEqual([]);
  });

  it('are kept longer than a session lasts, and no longer', async () => {
    const store = await test.open();
    const kept = async () => (await store.signOutsOf({ subject: 's', sid: null, issuedAt: 0 })).map(({ id }) => id);
    await store.recordSignOut(signOut('a', { subject: 's' }), 0);
    await store.recordSignOut(signOut('b', { subject: 's' }), 2 * DAY_MS);
    expect(await kept()).toEqual(['a', 'b']);
    await store.recordSignOut(signOut('c', { subject: 's' }), 2 * DAY_MS + 1);
    expect(await kept()).toEqual(['b', 'c']);
  });
});
