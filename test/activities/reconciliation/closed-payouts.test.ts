import { beforeEach, expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { restartAll } from '../../../src/activities/reconcile.ts';
import { CLOSED_RUNS_MAX } from '../../../src/domain/claim.ts';
import type { Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const FIRST_PAUSE_MS = 60_000;
const PASS_EVERY_MS = 2 * 3_600_000;
const { reference } = payoutClaim('doc');

let store: Store;
let now: number;

const bank = { clock: UNMEASURED_CLOCK };

beforeEach(async () => {
  store = await newStore();
  now = 1_000_000;
  await store.claimPayout(payoutClaim('doc', { at: now }));
});

const depsOver = (executions: object): ActivityDeps =>
  ({
    bank,
    store,
    executions,
    settings: { quietRowMs: FIRST_PAUSE_MS, calendar: undefined },
    now: () => now,
  }) as unknown as ActivityDeps;

/** Passes one after the other over a payout whose workflow is not open; what each of them could not start. */
async function passes(count: number, startPayout: () => Promise<'started'>): Promise<unknown[]> {
  const failed: unknown[] = [];
  const executions = { isOpen: async () => false, readAgain: async () => true, startPayout };
  const deps = depsOver(executions);
  for (let pass = 0; pass < count; pass += 1) {
    now += PASS_EVERY_MS;
    await restartAll(deps, { batchId: null }, { failed: (error) => failed.push(error) });
  }
  return failed;
}

it('what could not be started, however often, is not left to people: it is started once Temporal can be reached', async () => {
  const unreachable = async () => Promise.reject(new Error('Temporal cannot be reached'));
  expect(await passes(CLOSED_RUNS_MAX + 2, unreachable)).toHaveLength(CLOSED_RUNS_MAX + 2);
  expect(await store.payout(reference)).toMatchObject({ state: 'preparing' });

  let started = 0;
  await passes(1, async () => {
    started += 1;
    return 'started';
  });
  expect(started).toBe(1);
});

it('a run counts as closed once more when it was started again, not when the store did not answer', async () => {
  const failed: unknown[] = [];
  let silent = true;
  const countClosedRun: Store['countClosedRun'] = async (...args) => {
    const counted = await store.countClosedRun(...args);
    if (silent) throw new Error('the store did not answer');
    return counted;
  };
  const executions = {
    isOpen: async () => false,
    readAgain: async () => true,
    startPayout: async () => 'started' as const,
  };
  const deps = { ...depsOver(executions), store: { ...store, countClosedRun } };
  for (let pass = 0; pass < CLOSED_RUNS_MAX + 2; pass += 1) {
    now += PASS_EVERY_MS;
    await restartAll(deps, { batchId: null }, { failed: (error) => failed.push(error) });
  }
  expect(failed).toHaveLength(CLOSED_RUNS_MAX + 2);
  silent = false;
  now += PASS_EVERY_MS;
  expect(await restartAll(deps, { batchId: null }, { failed: (error) => failed.push(error) })).toBe(1);
  expect(await store.payout(reference)).toMatchObject({ state: 'preparing' });
});

it('one that runs and that an older copy of the store shows as it was is asked to read, and one that has moved since is not', async () => {
  const reported: string[] = [];
  const executions = {
    isOpen: async () => true,
    startPayout: async () => 'already-started' as const,
    readAgain: async (workflowId: string) => reported.push(workflowId) > 0,
  };
  const deps = depsOver(executions);
  const pass = () => restartAll(deps, { batchId: null }, { failed: () => {} });
  now += PASS_EVERY_MS;
  await pass();
  expect(reported).toEqual([]);
  await store.recordRestore({ at: now, from: 0, by: 'olga', detail: {} });
  now += PASS_EVERY_MS;
  await pass();
  now += 60_000;
  await pass();
  expect(reported).toEqual([(await store.payout(reference))?.workflowId]);
  await store.changePayout(reference, { state: 'processing', at: now });
  now += PASS_EVERY_MS;
  await pass();
  expect(reported).toHaveLength(1);
});

it('one that has completed, and has no end in an older copy of the store, begins as one that was searching', async () => {
  const seen: unknown[] = [];
  const executions = {
    isOpen: async () => false,
    readAgain: async () => true,
    async startPayout({ evenCompleted }: { evenCompleted?: boolean }) {
      if (evenCompleted !== true) return 'already-started' as const;
      const { state, reason } = (await store.payout(reference)) ?? {};
      seen.push([state, reason?.code]);
      return 'started' as const;
    },
  };
  now += PASS_EVERY_MS;
  await restartAll(depsOver(executions), { batchId: null }, { failed: () => {} });
  // No row for people: a command that follows it would end with an alarm.
  expect(seen).toEqual([['resolving', 'outcome-unknown']]);
});

it('what is closed again and again in the same state is left to people', async () => {
  expect(await passes(CLOSED_RUNS_MAX, async () => 'started')).toEqual([]);
  expect(await store.payout(reference)).toMatchObject({
    state: 'needs-operator',
    reason: { code: 'workflow-closed' },
  });
});
