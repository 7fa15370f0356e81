import { expect, it } from 'vitest';
import { createBank } from '../../src/api/client.ts';
import { answer, inOrder, type Script, scriptedBank } from './support/scripted-bank.ts';

const QUARTER_HOUR_MS = 15 * 60_000;
/** The header's second and the round trip; generous, for a machine that is busy. */
const CLOSE_MS = 60_000;

/** Answers an empty list of accounts under this `Date`, or with these headers. */
const telling =
  (offsetMs: number, more: Record<string, string> = {}): Script =>
  (request, response) =>
    answer(
      200,
      { code: 0, msg: 'Ok', data: [] },
      { date: new Date(Date.now() + offsetMs).toUTCString(), ...more },
    )(request, response);

const TOKEN = { access_token: 't', expired_in: 3600 };

const mute: Script = ({ target }, response) => {
  response.sendDate = false;
  response.end(JSON.stringify({ code: 0, msg: 'Ok', data: target === '/v1/auth' ? TOKEN : [] }));
};

async function clockOf(script: Script, calls: number, more: { wallClock?: () => number; token?: Script } = {}) {
  const server = await scriptedBank(script, more.token ?? mute);
  const bank = createBank({ baseUrl: server.baseUrl, apiKey: 'k', apiSecret: 's', wallClock: more.wallClock });
  for (let n = 0; n < calls; n += 1) await bank.accounts.master().catch(() => {});
  await bank.close();
  await server[Symbol.asyncDispose]();
  return bank.clock;
}

it.each([
  ['ahead', QUARTER_HOUR_MS],
  ['behind', -QUARTER_HOUR_MS],
  ['like ours', 0],
])('a clock that is %s is measured by the answers', async (_how, offsetMs) => {
  const offset = (await clockOf(telling(offsetMs), 3)).offset();
  expect(Math.abs((offset ?? Number.NaN) - offsetMs)).toBeLessThan(CLOSE_MS);
});

it('a few answers that lie move the median of many not at all', async () => {
  const lying = inOrder(...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => telling(n % 4 === 0 ? 86_400_000 : 0)));
  const offset = (await clockOf(lying, 8)).offset();
  expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(CLOSE_MS);
});

it('only the last answers count', async () => {
  const wrong = Array.from({ length: 12 }, () => telling(QUARTER_HOUR_MS));
  const mended = inOrder(...wrong, telling(0));
  const offset = (await clockOf(mended, 22)).offset();
  expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(CLOSE_MS);
});

it('the answer to a request for a token counts too', async () => {
  const token = answer(
    200,
    { code: 0, msg: 'Ok', data: TOKEN },
    { date: new Date(Date.now() - QUARTER_HOUR_MS).toUTCString() },
  );
  const offset = (await clockOf(mute, 1, { token })).offset();
  expect(Math.abs((offset ?? Number.NaN) + QUARTER_HOUR_MS)).toBeLessThan(CLOSE_MS);
});

it.each([
  ['no date', mute],
  ['a date that is none', telling(0, { date: 'soon' })],
  ['a date out of a cache', telling(-QUARTER_HOUR_MS, { age: '900' })],
])('%s tells nothing', async (_what, script) => {
  expect((await clockOf(script, 2)).offset()).toBeUndefined();
});

it('what was measured before our own clock was set says nothing', async () => {
  let set = 0;
  const clock = await clockOf(telling(0), 2, { wallClock: () => Date.now() + set });
  expect(clock.offset()).toBeDefined();
  set = QUARTER_HOUR_MS;
  expect(clock.offset()).toBeUndefined();
});
