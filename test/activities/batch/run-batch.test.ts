import { expect, it } from 'vitest';
import { runBatch } from '../../../src/activities/batch.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { because } from '../../../src/domain/reasons.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';

class Ended extends Error {}

it('checks its rows as often as it is set, and at once after a clock that was set back', async () => {
  const opened = await newStore();
  await opened.claimBatch(batchClaim('b1', ['a']));
  await opened.controlBatch({ batchId: 'b1', control: 'paused', by: 'alice', at: 1 });
  let now = 10_000_000;
  const reads: number[] = [];
  const plansOf: Store['plansOf'] = (batchId) => {
    reads.push(now);
    return opened.plansOf(batchId);
  };
  const store = { ...opened, plansOf };
  const settings = { ...quickSettings, quietCheckMs: 60_000 };
  const deps = { store, settings, now: () => now, executions: {} } as unknown as ActivityDeps;
  const times = [10_030_000, 10_060_000, 6_400_000, 6_430_000, 6_460_000];
  const sleep = async (): Promise<void> => {
    const next = times.shift();
    if (next === undefined) throw new Ended();
    now = next;
  };
  const run = { sleep, signal: new AbortController().signal, warn: () => {} } as unknown as Parameters<
    typeof runBatch
  >[1];
  await expect(runBatch(deps, run, { batchId: 'b1', untilSettled: 1 })).rejects.toThrow(Ended);
  expect(reads).toEqual([10_000_000, 10_060_000, 6_400_000, 6_460_000]);
});

it('pauses a batch whose last canary row fails between its read and the count', async () => {
  const opened = await newStore();
  const claim = batchClaim('b1', ['a']);
  await opened.claimBatch({ ...claim, canary: 1 });
  const [{ reference }] = claim.rows as [(typeof claim.rows)[0]];
  await opened.markReleased([reference], 2);
  await opened.changePayout(reference, { state: 'processing', at: 3 });
  const stateCounts: Store['stateCounts'] = async (batchId) => {
    await opened.changePayout(reference, { state: 'needs-operator', reason: because('bank-failed', 'x'), at: 4 });
    return opened.stateCounts(batchId);
  };
  const executions = { isOpen: async () => true };
  const store = { ...opened, stateCounts };
  const deps = { store, settings: quickSettings, now: () => 10_000_000, executions } as unknown as ActivityDeps;
  const run = { sleep: async () => {}, signal: new AbortController().signal, warn: () => {} };
  const asRun = run as unknown as Parameters<typeof runBatch>[1];
  expect(await runBatch(deps, asRun, { batchId: 'b1', untilSettled: 1 })).toMatchObject({
    control: 'paused',
    done: false,
  });
});

it('releases no row behind others that no worker begins with, and more as they are begun', async () => {
  const store = await newStore();
  const ids = Array.from({ length: 60 }, (_, n) => `row-${n}`);
  const claim = batchClaim('b1', ids);
  await store.claimBatch(claim);
  const started: string[] = [];
  const startPayout = async ({ reference }: { reference: string }) => {
    started.push(reference);
    return 'started';
  };
  const settings = { ...quickSettings, window: 50 };
  const deps = { store, settings, now: () => 10_000_000, executions: { startPayout } } as unknown as ActivityDeps;
  const released: number[] = [];
  const sleep = async (): Promise<void> => {
    released.push(started.length);
    if (released.length === 6) throw new Ended();
    if (released.length < 3) return;
    for (const reference of started) await store.changePayout(reference, { state: 'processing', at: 4 });
  };
  const run = { sleep, signal: new AbortController().signal, warn: () => {} } as unknown as Parameters<
    typeof runBatch
  >[1];
  await expect(runBatch(deps, run, { batchId: 'b1', untilSettled: 60 })).rejects.toThrow(Ended);
  expect(released).toEqual([10, 10, 10, 30, 60, 60]);
});

it.each([
  ['starts no row before its pause is over', undefined],
  ['starts none at all once it was taken back, even while the last moment of the pause was read', 'cancelling'],
] as const)('%s', async (_, control) => {
  const opened = await newStore();
  await opened.claimBatch({ ...batchClaim('b1', ['a']), heldUntil: 12_000 });
  const started: number[] = [];
  let now = 10_000;
  const startPayout = async () => {
    started.push(now);
    return 'started';
  };
  // The batch is read in the pause, which ends while other things are read.
  const stateCounts: Store['stateCounts'] = async (batchId) => {
    if (now === 11_999) {
      if (control !== undefined) await opened.controlBatch({ batchId, control, by: 'alice', at: now });
      now = 12_001;
    }
    return opened.stateCounts(batchId);
  };
  const store = { ...opened, stateCounts };
  const executions = { startPayout, readAgain: async () => true, isOpen: async () => true };
  const deps = { store, settings: quickSettings, now: () => now, executions } as unknown as ActivityDeps;
  const times = [11_999, 12_500];
  const sleep = async (): Promise<void> => {
    const next = times.shift();
    if (next === undefined) throw new Ended();
    now = next;
  };
  const run = { sleep, signal: new AbortController().signal, warn: () => {} } as unknown as Parameters<
    typeof runBatch
  >[1];
  await runBatch(deps, run, { batchId: 'b1', untilSettled: 1 }).catch(() => undefined);
  expect(started).toEqual(control === undefined ? [12_500] : []);
  const [row] = await Array.fromAsync(opened.rows('b1'));
  expect(row?.state).toBe(control === undefined ? 'received' : 'cancelled');
});
