import { describe, expect, test } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { CODE_RULES } from '../../src/bank/errors.ts';
import { limitsPass, watchLimits } from '../support/time-limit.ts';
import { allOf, CANARY, CREATE, RESUME, SET_UP } from './support/card-requests.ts';
import { answer, hangUp, ok, raw, type Script } from './support/scripted-bank.ts';
import { bankWith, drivenTime, failureOf, testBank } from './support/test-bank.ts';

const CODES = Object.keys(CODE_RULES).map(Number) as (keyof typeof CODE_RULES)[];
const POSTS: [string, (cards: Bank['cards']) => Promise<unknown>][] = [
  ['create', (cards) => cards.create(CREATE)],
  ['resume', (cards) => cards.resume(RESUME)],
];

/** The error of one call, and how many requests the acquirer saw for it. */
async function failure(script: Script, call: (cards: Bank['cards']) => Promise<unknown>, options = {}) {
  watchLimits();
  const { bank, server } = await bankWith(script, { ...drivenTime(), ...options });
  const error = await failureOf(call(bank.cards));
  return { error, seen: server.seen.length };
}

/** An acquirer that says back what it was sent, under every name it has. */
const echo =
  (status: number): Script =>
  (request, response) =>
    answer(status, { code: 'E1', message: request.body, msg: request.body, data: { echo: request.body } })(
      request,
      response,
    );

/** What a POST can end in without a payment and without proof. */
const AMBIGUOUS: [string, Script][] = [
  ['success without a payment', ok({ accepted: true })],
  ['success without a status', answer(200, { payment_id: 'pay-1' })],
  ['success without an id', answer(200, { payment_status: 'SUCCEEDED' })],
  ['an empty id', answer(200, { payment_id: '', payment_status: 'SUCCEEDED' })],
  ['an id that is an object', answer(200, { payment_id: { id: 1 }, payment_status: 'SUCCEEDED' })],
  ['an id too long for any request', answer(200, { payment_id: 'p'.repeat(129), payment_status: 'PROCESSING' })],
  ['an id with a NUL', answer(200, { payment_id: 'pay\0-1', payment_status: 'PROCESSING' })],
  ['an id of half a character', answer(200, '{"payment_id":"pay\\ud800","payment_status":"PROCESSING"}')],
  ['a list', answer(200, [{ payment_id: 'pay-1', payment_status: 'SUCCEEDED' }])],
  ['two ids in one answer', answer(200, '{"payment_id":"a","payment_status":"SUCCEEDED","payment_id":"b"}')],
  ['HTML', answer(200, '<html>')],
  ['nothing', answer(204, '')],
  ['half an answer', raw('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"payment_id":"pay-1"')],
  ['a redirect', answer(302, { payment_id: 'pay-1', payment_status: 'SUCCEEDED' }, { location: '/elsewhere' })],
  ['400 without a code', answer(400, { error: 'invalid card' })],
  ['409 without a code', answer(409, { error: 'seen before' })],
  ['429', answer(429, '')],
  ['a code the interface does not list', answer(400, { code: 4001, msg: 'x' })],
  ['a code that is text', answer(400, { code: '2002', msg: 'x' })],
  ['500 without a code', answer(500, 'oops')],
  ['a payment under 500', answer(502, { payment_id: 'pay-1', payment_status: 'FAILED' })],
  ['a reset', hangUp],
  ['no answer until the time limit', limitsPass],
  ['what it was sent', echo(400)],
];

describe.each(POSTS)('%s', (_name, call) => {
  test.each(AMBIGUOUS)('answered with %s is ambiguous, and one POST', async (_what, script) => {
    const { error, seen } = await failure(script, call);
    expect(error).toMatchObject({ outcome: 'ambiguous' });
    expect(seen).toBe(1);
  });

  test.each(CODES)('refused with code %i has the outcome of the table, under 5xx none', async (code) => {
    for (const status of [200, 400, 401, 422]) {
      const { error, seen } = await failure(answer(status, { code, msg: 'x' }), call);
      const { onSubmit: outcome, condition } = CODE_RULES[code];
      expect(error).toMatchObject({ outcome, condition, code, httpStatus: status });
      expect(seen).toBe(1);
    }
    const { error } = await failure(answer(503, { code, msg: 'x' }), call);
    expect(error).toMatchObject({ outcome: 'ambiguous', code });
  });

  test('is refused by a status that the setting names, and by no other', async () => {
    const options = { cardRefusalStatuses: [400, 422, 429] };
    for (const script of [answer(422, 'no'), answer(400, { code: 4001 }), echo(422)]) {
      const { error } = await failure(script, call, options);
      expect(error).toMatchObject({ outcome: 'refused', retryable: false, code: undefined });
    }
    // 429 asks to come again, in any list.
    for (const script of [answer(404, 'no'), answer(429, 'no'), answer(200, 'no'), answer(500, 'no')]) {
      expect((await failure(script, call, options)).error).toMatchObject({ outcome: 'ambiguous' });
    }
    const coded = await failure(answer(422, { code: 2011 }), call, options);
    expect(coded.error).toMatchObject({ outcome: 'ambiguous', code: 2011 });
  });

  test.each([401, 403])('answered %i without a code is an authentication error', async (status) => {
    expect((await failure(answer(status, ''), call)).error).toMatchObject({
      name: 'AuthenticationError',
      outcome: 'not-sent',
    });
    const cautious = await failure(answer(status, ''), call, { authBeforeExecution: false });
    expect(cautious.error).toMatchObject({ name: 'AuthenticationError', outcome: 'ambiguous' });
  });

  test('without a connection, or stopped by its sender, was not sent', async () => {
    await using gone = testBank('http://127.0.0.1:1');
    expect(await failureOf(call(gone.cards))).toMatchObject({ outcome: 'not-sent' });
  });
});

test.each([
  ['setUp', (cards: Bank['cards'], stop: () => void) => cards.setUp(SET_UP, { beforeFirstByte: stop })],
  ['create', (cards: Bank['cards'], stop: () => void) => cards.create(CREATE, { beforeFirstByte: stop })],
  ['resume', (cards: Bank['cards'], stop: () => void) => cards.resume(RESUME, { beforeFirstByte: stop })],
])('%s stopped by its sender sends nothing', async (_name, call) => {
  const stop = () => {
    throw new Error('too late');
  };
  const { error, seen } = await failure(ok(), (cards) => call(cards, stop));
  expect(error).toMatchObject({ outcome: 'not-sent' });
  expect(seen).toBe(0);
});

describe('a set-up', () => {
  const setUp = (cards: Bank['cards']) => cards.setUp(SET_UP);

  test.each<[string, Script]>([
    ['success without a session', ok({ token: 'x' })],
    ['HTML', answer(200, '<html>')],
    ['500', answer(500, { reference_id: 'ref-1' })],
    ['429', answer(429, '')],
    ['2001', answer(200, { code: 2001 })],
    ['2011', answer(409, { code: 2011 })],
    ['401', answer(401, '')],
    ['a reset', hangUp],
    ['no answer until the time limit', limitsPass],
  ])('answered with %s may be asked for again, and is one POST', async (_what, script) => {
    const { error, seen } = await failure(script, setUp);
    expect(error).toMatchObject({ retryable: true });
    expect(error).not.toMatchObject({ outcome: 'refused' });
    expect(seen).toBe(1);
  });

  test.each<[string, Script]>([
    ['400', answer(400, { error: 'card', reference_id: 'for our support' })],
    ['422', answer(422, '')],
    ['2002', answer(200, { code: 2002, data: { reference_id: 'ref-1' } })],
    ['2009', answer(400, { code: 2009 })],
  ])('answered with %s is refused', async (_what, script) => {
    const { error, seen } = await failure(script, setUp);
    expect(error).toMatchObject({ outcome: 'refused', retryable: false });
    expect(seen).toBe(1);
  });
});

test('no error of any class holds anything of the card, nor of an answer that says it back', async () => {
  const calls = [...POSTS.map(([, call]) => call), (cards: Bank['cards']) => cards.setUp(SET_UP)];
  const scripts = [...AMBIGUOUS.map(([, script]) => script), ...[200, 400, 401, 422, 500].map(echo)];
  const texts: string[] = [];
  for (const script of scripts) {
    for (const call of calls) {
      const { error } = await failure(script, call, { cardRefusalStatuses: [422] });
      texts.push(allOf(error));
    }
  }
  const held = texts.filter((text) => [...Object.values(CANARY), 'Canary Row'].some((canary) => text.includes(canary)));
  expect(held).toEqual([]);
  // The probe finds what an error does hold.
  expect(allOf(new Error('x', { cause: { request: CANARY.number } }))).toContain(CANARY.number);
});
