import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { orAborted, sleep, withDeadline } from '../../src/bank/deadline.ts';

const never = new Promise<never>(() => {});

test('work that outlives its limit is aborted with a TimeoutError', async () => {
  await expect(withDeadline(5, undefined, (signal) => orAborted(never, signal))).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

test('the caller’s abort reaches the work with its reason, also when it came before', async () => {
  const reason = new Error('cancelled');
  await expect(withDeadline(60_000, AbortSignal.abort(reason), (signal) => orAborted(never, signal))).rejects.toBe(
    reason,
  );
  const controller = new AbortController();
  const call = withDeadline(60_000, controller.signal, (signal) => orAborted(never, signal));
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
});

test('a long-lived signal keeps no listener of an ended call', async () => {
  const { signal } = new AbortController();
  await withDeadline(1_000, signal, async (deadline) => sleep(1, deadline));
  await orAborted(Promise.resolve(), signal);
  await sleep(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
