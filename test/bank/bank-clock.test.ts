import { expect, it } from 'vitest';
import { createBank } from '../../src/bank/client.ts';
import { answer, inOrder, type Script, scriptedBank } from './support/scripted-bank.ts';
import { bankWith, drivenTime, PAYMENT } from './support/test-bank.ts';

const QUARTER_HOUR_MS = 15 * 60_000;
/** The header's second and the round trip; generous, for a machine that is busy. */
const CLOSE_MS = 60_000;

/** Answers an empty list of accounts under this `Date`, or with these headers. */
const dated =
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
  const offset = (await clockOf(dated(offsetMs), 3)).offset();
  expect(Math.abs((offset ?? Number.NaN) - offsetMs)).toBeLessThan(CLOSE_MS);
});

it('a few answers that lie move the median of many not at all', async () => {
  const lying = inOrder(...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => dated(n % 4 === 0 ? 86_400_000 : 0)));
  const offset = (await clockOf(lying, 8)).offset();
  expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(CLOSE_MS);
});

it('only the last answers count', async () => {
  const wrong = Array.from({ length: 12 }, () => dated(QUARTER_HOUR_MS));
  const mended = inOrder(...wrong, dated(0));
  const offset = (await clockOf(mended, 22)).offset();
  expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(CLOSE_MS);
});

it('the answer to a request for a token counts too', async () => {
  const offset = (await clockOf(mute, 1, { token: token(QUARTER_HOUR_MS) })).offset();
  expect(Math.abs((offset ?? Number.NaN) + QUARTER_HOUR_MS)).toBeLessThan(CLOSE_MS);
});

it.each([
  ['no date', mute],
  ['a date that is none', dated(0, { date: 'soon' })],
  ['a date out of a cache', dated(-QUARTER_HOUR_MS, { age: '900' })],
])('%s says nothing', async (_what, script) => {
  expect((await clockOf(script, 2)).offset()).toBeUndefined();
});

const reported = (agoMs: number): Record<string, string> => ({ date: new Date(Date.now() - agoMs).toUTCString() });
const token = (agoMs: number): Script => answer(200, { code: 0, msg: 'Ok', data: TOKEN }, reported(agoMs));
const list = (headers: Record<string, string>): Script =>
  answer(200, { code: 0, msg: 'Ok', data: { total: 0, page: 1, records: [] } }, headers);

async function listed(script: Script, tokenScript = token(0)) {
  const { bank, server } = await bankWith(script, { tokens: tokenScript });
  const scan = await bank.orders.listAll({ uid: 'u', currency: 'USD' });
  expect(server.seen[0]?.headers['cache-control']).toBe('no-cache');
  return { scan, offset: bank.clock.offset() };
}

const OLD = 'an answer that was made before it was asked for';

it.each<[string, Record<string, string>]>([
  ['by its age', { ...reported(0), age: '60' }],
  ['by an age that cannot be read', { ...reported(0), age: 'old' }],
  ['by its date', reported(QUARTER_HOUR_MS)],
])('a list from a cache, known %s, proves nothing and sets no clock', async (_how, headers) => {
  const { scan, offset } = await listed(list(headers));
  expect(scan).toMatchObject({ stable: false, doubt: OLD });
  expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(CLOSE_MS);
});

it('a clock that is set back is known after the next write', async () => {
  const post = answer(200, { code: 0, msg: 'Ok', data: { order_id: 'o' } }, reported(QUARTER_HOUR_MS));
  const old = list(reported(QUARTER_HOUR_MS));
  const script: Script = (request, response) => (request.method === 'POST' ? post : old)(request, response);
  const { bank } = await bankWith(script, { tokens: token(0) });
  const query = { uid: 'u', currency: 'USD' };
  expect((await bank.orders.listAll(query)).doubt).toBe(OLD);
  await bank.transactions.payment(PAYMENT);
  expect(await bank.orders.listAll(query)).toMatchObject({ stable: true });
  expect(Math.abs((bank.clock.offset() ?? Number.NaN) + QUARTER_HOUR_MS)).toBeLessThan(CLOSE_MS);
});

it('a clock that is set forward is measured by reads alone', async () => {
  const { offset } = await listed(list(reported(0)), token(QUARTER_HOUR_MS));
  expect(Math.abs(offset ?? Number.NaN)).toBeLessThan(CLOSE_MS);
});

it.each<[string, Record<string, string>, Script]>([
  ['without a date', {}, mute],
  ['of a bank whose clock is behind', reported(QUARTER_HOUR_MS), token(QUARTER_HOUR_MS)],
  ['of a bank whose clock is ahead', reported(-QUARTER_HOUR_MS), token(-QUARTER_HOUR_MS)],
  ['with an age of nothing', { ...reported(0), age: '0' }, token(0)],
])('a list %s is believed', async (_which, headers, tokenScript) => {
  expect((await listed(list(headers), tokenScript)).scan).toMatchObject({ stable: true });
});

it('an order without money is not believed from a cache, unlike one that is paid', async () => {
  const old = (status: string) => answer(200, { code: 0, msg: 'Ok', data: { order_id: 'o', status } }, { age: '60' });
  const now = answer(200, { code: 0, msg: 'Ok', data: { order_id: 'o', status: 'COMPLETED' } });
  const { bank, server } = await bankWith(inOrder(old('FAILED'), now, old('COMPLETED')), drivenTime());
  expect(await bank.orders.get('o')).toMatchObject({ stage: 'paid' });
  expect(await bank.orders.get('o')).toMatchObject({ stage: 'paid' });
  expect(server.seen).toHaveLength(3);
});

it.each([
  ['60', true],
  ['0', undefined],
])('a balance with an age of %s is marked as stale: %s', async (age, isStale) => {
  const account = { uid: 'u', account_id: 'a', currency: 'USD', balance: '5.00' };
  const shown = (data: object) => answer(200, { code: 0, msg: 'Ok', data }, { ...reported(0), age });
  const { bank } = await bankWith(inOrder(shown(account), shown([account]), shown([account])));
  const reads = [await bank.accounts.get('a'), ...(await bank.accounts.ofUser('u')), ...(await bank.accounts.master())];
  expect(reads.map((read) => read.isStale)).toEqual([isStale, isStale, isStale]);
});

it('what was measured before our own clock was set says nothing', async () => {
  let set = 0;
  const clock = await clockOf(dated(0), 2, { wallClock: () => Date.now() + set });
  expect(clock.offset()).toBeDefined();
  set = QUARTER_HOUR_MS;
  expect(clock.offset()).toBeUndefined();
});
