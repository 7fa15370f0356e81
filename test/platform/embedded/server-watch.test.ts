import { expect, it, onTestFinished } from 'vitest';
import { type Ask, askServer, untilSick } from '../../../src/platform/embedded/server.ts';
import { refusingServer } from '../../support/refusing-server.ts';

const QUICK = { everyMs: 1, unansweredMax: 6 };

/** Watches a server that answers as `answers` say, call by call; the watch is ended after the last of them. */
async function watched(...answers: (() => Promise<void>)[]): Promise<{ calls: number; why: string | undefined }> {
  const stopped = new AbortController();
  let calls = 0;
  const ask: Ask = async () => {
    const answer = answers[calls];
    calls += 1;
    if (answer === undefined) return stopped.abort();
    await answer();
  };
  const why = await untilSick(ask, QUICK, stopped.signal);
  return { calls, why };
}

const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what);
const well = async () => {};
const silent = () => new Promise<void>(() => {});
const refused = () => Promise.reject(new Error('interrupted (9)'));

it.each([
  ['answers nothing', times(6, silent), 'no answer'],
  ['answers nothing but errors', times(6, refused), 'interrupted (9)'],
  ['begins to answer errors', [...times(9, well), ...times(6, refused)], 'interrupted (9)'],
])('a server that %s is sick', async (_what, answers, problem) => {
  expect(await watched(...answers)).toEqual({ calls: answers.length, why: `6 calls in a row failed: ${problem}` });
});

it.each([
  ['answers', times(20, well)],
  ['answers one call in six', [...times(5, refused), well, ...times(5, silent), well]],
])('a server that %s is not', async (_what, answers) => {
  expect(await watched(...answers)).toEqual({ calls: answers.length + 1, why: undefined });
});

it('an answer counts however late it comes', async () => {
  const first = Promise.withResolvers<void>();
  const answersFirst = () => {
    first.resolve();
    return silent();
  };
  const answers = [() => first.promise, ...times(4, silent), answersFirst, ...times(5, refused), well];
  expect(await watched(...answers)).toEqual({ calls: answers.length + 1, why: undefined });
});

it('a process that was suspended between two calls has made one call more, with any clocks', async () => {
  const { now } = performance;
  onTestFinished(() => {
    performance.now = now;
  });
  const suspended = () => {
    const before = performance.now();
    performance.now = () => before + 3_600_000;
    return refused();
  };
  expect(await watched(well, suspended, well)).toEqual({ calls: 4, why: undefined });
});

it('a server that answers UNAVAILABLE to everything gives no answer, and its words are reported', async () => {
  const server = await refusingServer('interrupted (9)');
  onTestFinished(() => server.close());
  await expect(askServer(server.address, 'default', 60_000)).rejects.toThrow(/^interrupted \(9\)$/);
});
