import { expect, it } from 'vitest';
import { checkOf, checksShown } from '../../src/activities/payee-checks.ts';
import type { KeptCheck } from '../../src/store/store.ts';
import { newStore } from '../support/empty-store.ts';

const KEPT: KeptCheck = {
  uid: 'user-1',
  kind: 'verification',
  provider: 'p',
  payee: 'details',
  verdict: 'close-match',
  name: 'Jane Roe',
  otherName: 'Jane Rowe',
  caseId: '1',
  why: null,
  askedAt: 1,
};

it('names are shown as long as they are those of the reading that is decided on', async () => {
  const store = await newStore();
  const read = { uid: 'user-1', assessed: { digest: 'd', approvalsNeeded: 0, checks: [checkOf(KEPT)] } };
  await store.notePayeeCheck(KEPT, 'ref-1');
  const { name, otherName, caseId, why } = KEPT;
  expect(await checksShown(store, read)).toEqual([{ ...checkOf(KEPT), name, otherName, caseId, why }]);
  // The same answer again is still the one that was read.
  await store.notePayeeCheck({ ...KEPT, askedAt: 2 }, 'ref-2');
  expect(await checksShown(store, read)).toMatchObject([{ otherName: 'Jane Rowe' }]);
  await store.notePayeeCheck({ ...KEPT, otherName: 'John Poe', askedAt: 3 }, 'ref-2');
  expect(await checksShown(store, read)).toMatchObject([{ verdict: 'close-match', otherName: null, name: null }]);
});

it('a row whose reading holds no verdict shows none', async () => {
  const store = await newStore();
  expect(await checksShown(store, { uid: 'user-1', assessed: null })).toEqual([]);
});
