import { expect, it } from 'vitest';
import { followUntil } from '../../src/cli/follow-batch.ts';
import { StackError } from '../../src/platform/embedded/home.ts';

const QUICK = { timeoutMs: undefined, everyMs: 1, pulseEveryMs: 0 };

/** Follows something that is never settled while Temporal answers as `answers` say, check by check; it is at the end of them. */
async function followed(...answers: (() => Promise<unknown>)[]): Promise<{ end: string; checks: number }> {
  let checks = 0;
  const pulse = async () => {
    checks += 1;
    await answers[checks - 1]?.();
  };
  const end = await followUntil(async () => checks >= answers.length, { ...QUICK, pulse });
  return { end, checks };
}

const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what);
const well = async () => {};
const silent = () => new Promise(() => {});
const refused = () => Promise.reject(new Error('unavailable'));

it.each([
  ['errors', refused],
  ['no answer', silent],
])('what is followed is followed through 23 checks in a row with %s, time and again', async (_what, answer) => {
  const answers = [...times(23, answer), well, ...times(23, answer)];
  expect(await followed(...answers)).toEqual({ end: 'at-rest', checks: answers.length });
});

it.each([
  ['errors', refused],
  ['no answer', silent],
])('after 24 checks in a row with %s, Temporal is gone', async (_what, answer) => {
  await expect(followed(...times(25, answer))).rejects.toMatchObject({ code: 'temporal-unreachable' });
});

it('a part of the stack that says itself why it is gone is not reported in other words', async () => {
  const lost = new StackError('boot-failed', 'no server starts', 'Read its log.');
  const following = followUntil(async () => false, { ...QUICK, failure: Promise.resolve(lost) });
  await expect(following).rejects.toBe(lost);
});
