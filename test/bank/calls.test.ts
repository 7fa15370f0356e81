import { describe, expect, test } from 'vitest';
import { type BankError, CODE_RULES, NotSentError } from '../../src/bank/errors.ts';
import { problemOf } from '../../src/files/intake/problem-of.ts';
import { limitsPass, watchLimits } from '../support/time-limit.ts';
import { answer, hangUp, inOrder, ok, type Script } from './support/scripted-bank.ts';
import { bankWith, drivenTime, failureOf, PAYMENT } from './support/test-bank.ts';

const CODES = Object.keys(CODE_RULES).map(Number) as (keyof typeof CODE_RULES)[];
const ORDER = { order_id: 'o-1', status: 'COMPLETED' };

async function pay(script: Script): Promise<{ result: unknown; posts: number }> {
  const { bank, server } = await bankWith(script);
  const result = await bank.transactions.payment(PAYMENT).catch((error: unknown) => error);
  return { result, posts: server.seen.length };
}

describe('a write', () => {
  test.each(CODES)(
    'refused with code %i under HTTP 200 or 400 has the outcome and the condition of the table',
    async (code) => {
      for (const status of [200, 400, 404, 401]) {
        const { result, posts } = await pay(answer(status, { code, msg: 'x' }));
        const { onSubmit: outcome, condition } = CODE_RULES[code];
        expect(result).toMatchObject({ outcome, condition, code, httpStatus: status });
        expect(posts).toBe(1);
      }
    },
  );

  test.each(CODES)('answered code %i under HTTP 500 is ambiguous', async (code) => {
    const { result, posts } = await pay(answer(500, { code, msg: 'x' }));
    expect(result).toMatchObject({ outcome: 'ambiguous', code });
    expect(posts).toBe(1);
  });

  test.each<[string, Script]>([
    ['a code the interface does not list', answer(200, { code: 9999 })],
    ['a code that is text', answer(200, { code: '0', data: { order_id: '1' } })],
    ['a code with a fraction', answer(200, '{"code":0.5}')],
    ['no code', answer(200, { order_id: '1' })],
    ['success without data', answer(200, { code: 0, msg: 'Ok' })],
    ['success without an order id', ok({})],
    ['success with an empty order id', ok({ order_id: '' })],
    ['success under HTTP 400', answer(400, { code: 0, data: { order_id: '1' } })],
    ['success under HTTP 502', answer(502, { code: 0, data: { order_id: '1' } })],
    ['404 without an envelope', answer(404, 'not found')],
    ['408', answer(408, '')],
    ['429', answer(429, 'slow down', { 'retry-after': '7' })],
    ['503', answer(503, '', { 'retry-after': '7' })],
    ['code 0 said twice, differently', answer(200, '{"code":0,"data":{"order_id":"1"},"code":2010}')],
  ])('answered %s is ambiguous', async (_what, script) => {
    const { result, posts } = await pay(script);
    expect(result).toMatchObject({ outcome: 'ambiguous' });
    expect(posts).toBe(1);
  });

  test('keeps the wait the bank asked for, at most five minutes', async () => {
    const asked = await pay(answer(429, '', { 'retry-after': '7' }));
    const long = await pay(answer(503, '', { 'retry-after': '86400' }));
    expect(asked.result).toMatchObject({ retryAfterMs: 7_000 });
    expect(long.result).toMatchObject({ retryAfterMs: 300_000 });
  });

  test.each([200, 201, 202])('answered code 0 under HTTP %i succeeded', async (status) => {
    const { result } = await pay(answer(status, { code: 0, msg: 'Ok', data: { order_id: 77, extra: true } }));
    expect(result).toEqual({ order_id: '77' });
  });

  test('without data in the answer succeeds where the interface shows none', async () => {
    const { bank, server } = await bankWith(ok());
    await bank.orders.approve('o-1');
    await bank.beneficiaries.update('b-1', { uid: 'u-1' });
    await bank.beneficiaries.delete('b-1');
    expect(server.seen).toHaveLength(3);
  });

  test('with a refused path id sends nothing', async () => {
    const { bank, server } = await bankWith(ok());
    const error = await failureOf<BankError>(bank.orders.approve('../users/u-1'));
    expect(error).toBeInstanceOf(NotSentError);
    expect(error.retryable).toBe(false);
    expect(error.message).not.toContain('u-1');
    expect(server.seen).toEqual([]);
  });

  test('with a refused path id finds nothing', async () => {
    const { bank, server } = await bankWith(ok());
    for (const [call, condition] of [
      [() => bank.orders.get('ord/1'), 'order-not-found'],
      [() => bank.beneficiaries.get('..'), 'beneficiary-not-found'],
      [() => bank.accounts.get('users'), 'account-not-found'],
    ] as const) {
      expect(await failureOf<BankError>(call())).toMatchObject({ outcome: 'not-sent', retryable: false, condition });
    }
    expect(server.seen).toEqual([]);
  });
});

describe('a read', () => {
  test.each<[string, Script]>([
    ['a reset', hangUp],
    ['HTML under 200', answer(200, '<html>')],
    ['500 without an envelope', answer(500, '')],
    ['429', answer(429, '')],
    ['429 with a code of its own', answer(429, { code: 2009 })],
    ['2001', answer(200, { code: 2001 })],
    ['2008', answer(500, { code: 2008 })],
    ['2011', answer(200, { code: 2011 })],
    ['a code the interface does not list', answer(200, { code: 4242 })],
    ['data outside the interface', ok({ order_id: 5 })],
  ])('is asked again after %s', async (_what, script) => {
    const time = drivenTime();
    const { bank, server } = await bankWith(inOrder(script, script, ok(ORDER)), time);
    expect(await bank.orders.get('o-1')).toMatchObject(ORDER);
    expect(server.seen).toHaveLength(3);
    expect(time.waits).toHaveLength(2);
  });

  test.each<[string, Script]>([
    ['2002', answer(200, { code: 2002 })],
    ['2005', answer(404, { code: 2005 })],
    ['2005 under HTTP 500: the envelope counts', answer(500, { code: 2005 })],
    ['404 without an envelope', answer(404, 'no such page')],
  ])('is not asked again after %s', async (_what, script) => {
    const { bank, server } = await bankWith(script, drivenTime());
    expect(await failureOf<BankError>(bank.orders.get('o-1'))).toMatchObject({ retryable: false });
    expect(server.seen).toHaveLength(1);
  });

  test('takes an envelope with code 0 under any HTTP status but a redirect', async () => {
    const { bank } = await bankWith(answer(500, { code: 0, data: ORDER }));
    expect(await bank.orders.get('o-1')).toMatchObject(ORDER);
  });

  test('waits as long as Retry-After says, as seconds or as a date', async () => {
    const time = drivenTime();
    const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
    const asDate = answer(503, '', { date, 'retry-after': 'Sat, 21 Nov 2026 10:00:04 GMT' });
    const { bank } = await bankWith(inOrder(answer(429, '', { 'retry-after': '3' }), asDate, ok(ORDER)), time);
    await bank.orders.get('o-1');
    expect(time.waits).toEqual([3_000, 4_000]);
  });

  test('gives a wait beyond its total time to the caller at once', async () => {
    const time = drivenTime();
    const { bank, server } = await bankWith(answer(503, '', { 'retry-after': '60' }), time);
    expect(await failureOf<BankError>(bank.orders.get('o-1'))).toMatchObject({ retryAfterMs: 60_000, retryable: true });
    expect(time.waits).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  test('ends with the last failure when its total time is over', async () => {
    const time = drivenTime();
    const { bank, server } = await bankWith(answer(200, { code: 2001 }), { ...time, limits: { readTotalMs: 2_000 } });
    const error = await failureOf<BankError>(bank.orders.get('o-1'));
    expect(error).toMatchObject({ condition: 'internal-error' });
    expect(time.now).toBeLessThanOrEqual(1_000 + 2_000);
    expect(server.seen.length).toBeGreaterThan(2);
  });

  test('that hangs gets a second attempt inside its total time', async () => {
    watchLimits();
    const { bank, server } = await bankWith(inOrder(limitsPass, ok(ORDER)), drivenTime());
    expect(await bank.orders.get('o-1')).toMatchObject(ORDER);
    expect(server.seen).toHaveLength(2);
  });

  test('whose answer is too large is not repeated, and says so', async () => {
    const time = drivenTime();
    const { bank, server } = await bankWith(ok({ ...ORDER, note: 'x'.repeat(2_000) }), {
      ...time,
      limits: { bodyBytesMax: 1_000 },
    });
    const error = await failureOf<BankError>(bank.orders.get('o-1'));
    expect(error).toMatchObject({ tooLarge: true, retryable: false });
    expect(problemOf(error)).toMatchObject({
      code: 'bank-answer-too-large',
      message: expect.stringMatching(/too large/),
    });
    expect([server.seen.length, time.waits]).toEqual([1, []]);
  });

  test('stops at once when the caller aborts, also while it waits', async () => {
    const controller = new AbortController();
    const sleep = async (_ms: number, signal?: AbortSignal) => {
      controller.abort();
      signal?.throwIfAborted();
    };
    const { bank, server } = await bankWith(answer(500, ''), { sleep });
    const error = await failureOf<BankError>(bank.orders.get('o-1', { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'UnknownOutcomeError', httpStatus: 500 });
    expect(server.seen).toHaveLength(1);
  });

  test('names the fields that break the interface, not their values', async () => {
    const { bank } = await bankWith(
      ok([{ uid: 'u-1', account_id: 'a', currency: 'USD', balance: 'secret-ish' }]),
      drivenTime(),
    );
    const error = await failureOf<BankError>(bank.accounts.master());
    expect(error.message).toContain('0.balance');
    expect(error.message).not.toContain('secret-ish');
  });
});
