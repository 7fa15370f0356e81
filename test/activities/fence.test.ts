import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { submitActivities } from '../../src/activities/submit.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

const ATTEMPT = { reference: 'ref', attempt: 2, runId: 'run-1' };

let store: Store;
beforeEach(async () => {
  store = await openStore('file::memory:');
});
afterEach(() => store.close());

const fence = () => submitActivities({ store, now: () => 7 } as unknown as ActivityDeps).fenceAttempt(ATTEMPT);

test('an attempt that nobody recorded is taken, and nobody can send under its number any more', async () => {
  expect(await fence()).toBe(true);
  expect(await store.recordAttempt({ ...ATTEMPT, activityId: '9', sentAt: 8 })).toBe(false);
  expect(await store.attempts('ref')).toMatchObject([{ attempt: 2, outcome: 'not-sent' }]);
});

test('asked again it says the same: the activity may run twice', async () => {
  expect([await fence(), await fence()]).toEqual([true, true]);
});

test('an attempt that its sender recorded stays in doubt', async () => {
  await store.recordAttempt({ ...ATTEMPT, activityId: '9', sentAt: 6 });
  expect(await fence()).toBe(false);
  expect(await store.attempts('ref')).toMatchObject([{ activityId: '9', outcome: null }]);
});
