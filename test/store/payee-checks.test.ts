import { expect, it } from 'vitest';
import type { KeptCheck } from '../../src/store/store.ts';
import { onEveryStore } from './stores.ts';

const kept = (more: Partial<KeptCheck> = {}): KeptCheck => ({
  uid: 'user-1',
  kind: 'verification',
  provider: 'provider-1',
  payee: 'details',
  verdict: 'close-match',
  name: 'Jane Roe',
  otherName: 'Jane Rowe',
  caseId: null,
  why: null,
  askedAt: 1,
  ...more,
});

onEveryStore('Checks of payees', (test) => {
  it('are kept by user, kind, provider and details, the last one of each', async () => {
    const store = await test.open();
    await store.notePayeeCheck(kept(), 'ref-1');
    await store.notePayeeCheck(kept({ verdict: 'match', otherName: null, askedAt: 2 }), 'ref-2');
    expect(await store.payeeCheck(kept())).toEqual(kept({ verdict: 'match', otherName: null, askedAt: 2 }));
    for (const other of [
      { uid: 'user-2' },
      { kind: 'screening' },
      { provider: 'other' },
      { payee: 'other' },
    ] as const) {
      expect(await store.payeeCheck(kept(other))).toBeUndefined();
    }
  });

  it('are in the audit when they are new and when they differ, without a name', async () => {
    const store = await test.open();
    await store.notePayeeCheck(kept(), 'ref-1');
    await store.notePayeeCheck(kept({ askedAt: 2 }), 'ref-1');
    await store.notePayeeCheck(kept({ verdict: 'no-match', otherName: null, askedAt: 3 }), 'ref-1');
    const entries = await store.auditEntriesOf('ref-1');
    expect(entries.map(({ at, actor, action, detail }) => ({ at, actor, action, detail }))).toEqual([
      {
        at: 1,
        actor: 'product',
        action: 'had the payee verified',
        detail: { verdict: 'close-match', provider: 'provider-1' },
      },
      {
        at: 3,
        actor: 'product',
        action: 'had the payee verified',
        detail: { verdict: 'no-match', provider: 'provider-1' },
      },
    ]);
  });
});
