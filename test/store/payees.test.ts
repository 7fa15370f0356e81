import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/time.ts';
import { skeletons } from '../../src/people/payee-flags.ts';
import type { NameSeen, Store } from '../../src/store/store.ts';
import { payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

const nameOf = (name: string): NameSeen => {
  const [asShown, inSmall] = skeletons(name);
  return { name, asShown, inSmall };
};

const seen = (payeeId: string, digest: string, name: string, seenAt = 1, items = { account_name: name }) => ({
  uid: 'user-1',
  payeeId,
  digest,
  name: nameOf(name),
  country: 'DE',
  items,
  seenAt,
});

const asked = (payeeId: string, name: string) => ({
  uid: 'user-1',
  payeeId,
  currency: 'USD',
  name: nameOf(name),
  country: 'DE',
});

async function paid(store: Store, id: string, payeeId: string, digest: string, at: number): Promise<void> {
  const { record } = await store.claimPayout(payoutClaim(id));
  const assessed = { beneficiary: { known: true, id: payeeId, digest }, digest: 'd', approvalsNeeded: 0 } as const;
  await store.recordAssessment(record, assessed, at);
  await store.changePayout(record.reference, { state: 'completed', at });
}

onEveryStore('Payees', (test) => {
  it('are as the bank showed them last, and changed when it showed them otherwise', async () => {
    const store = await test.open();
    const history = () => store.payeeHistory(asked('ben-1', 'Acme'));
    expect(await history()).toMatchObject({ digest: undefined, changedAt: null, isFirstToCountry: true });
    await store.notePayee(seen('ben-1', 'first', 'Acme', 1));
    await store.notePayee(seen('ben-1', 'first', 'Acme', 2));
    expect(await history()).toMatchObject({ digest: 'first', changedAt: null });
    await store.notePayee(seen('ben-1', 'second', 'Acme', 3));
    expect(await history()).toMatchObject({ digest: 'second', changedAt: 3 });
  });

  it('are kept as they were before the first of their recent changes', async () => {
    const store = await test.open();
    const [uid, payeeId] = ['user-1', 'ben-1'];
    const earlier = async () => (await store.payeesOf([{ uid, payeeId }]))[0]?.earlier;
    const note = (account: string, at: number) =>
      store.notePayee(seen(payeeId, account, 'Acme', at, { account_name: account }));
    await note('first', 1);
    expect(await earlier()).toBeNull();
    await note('second', 2);
    await note('third', 3);
    expect(await earlier()).toEqual({ account_name: 'first' });
    await note('fourth', 3 + 8 * DAY_MS);
    expect(await earlier()).toEqual({ account_name: 'third' });
  });

  it('are known by what was paid to them, newest first, and so are their countries', async () => {
    const store = await test.open();
    await store.notePayee(seen('ben-1', 'first', 'Acme'));
    await paid(store, 'a', 'ben-1', 'first', 5);
    await paid(store, 'b', 'ben-1', 'second', 6);
    await paid(store, 'c', 'ben-2', 'third', 7);
    const history = await store.payeeHistory(asked('ben-1', 'Acme'));
    expect(history).toMatchObject({ paidDigest: 'second', paid: ['10.50', '10.50'], isFirstToCountry: false });
    const elsewhere = { ...asked('ben-1', 'Acme'), uid: 'user-2' };
    expect(await store.payeeHistory(elsewhere)).toMatchObject({ paid: [], isFirstToCountry: true });
    expect(await store.payeeHistory({ ...asked('ben-1', 'Acme'), currency: 'EUR' })).toMatchObject({ paid: [] });
  });

  it('look alike when their names do and are written in two ways', async () => {
    const store = await test.open();
    await store.notePayee(seen('ben-1', 'first', 'Acme Trading'));
    const isLookAlike = async (payeeId: string, name: string): Promise<boolean> =>
      (await store.payeeHistory(asked(payeeId, name))).isLookAlike;
    expect(await isLookAlike('ben-2', 'Асme Trading')).toBe(true);
    expect(await isLookAlike('ben-2', 'ACME  trading')).toBe(true);
    expect(await isLookAlike('ben-2', 'Acme Trading')).toBe(false);
    expect(await isLookAlike('ben-1', 'ACME trading')).toBe(false);
    expect(await isLookAlike('ben-2', 'Other')).toBe(false);
  });

  it('are named to callers who ask for them by user and id', async () => {
    const store = await test.open();
    await store.notePayee(seen('ben-1', 'first', 'Acme Trading'));
    await store.notePayee(seen('ben-2', 'second', 'Other'));
    const { uid } = asked('ben-1', 'Acme Trading');
    const named = await store.payeesOf([
      { uid, payeeId: 'ben-1' },
      { uid: 'someone-else', payeeId: 'ben-2' },
    ]);
    expect(named).toMatchObject([
      { uid, payeeId: 'ben-1', name: 'Acme Trading', items: { account_name: 'Acme Trading' } },
    ]);
    expect(await store.payeesOf([])).toEqual([]);
  });
});
