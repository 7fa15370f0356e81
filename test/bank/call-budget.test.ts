import { describe, expect, it } from 'vitest';
import { type Admission, CallBudget, type CallBudgetOptions, onBehalfOf } from '../../src/bank/call-budget.ts';
import type { CallEnd } from '../../src/domain/pace.ts';
import { bankAnswers } from '../../src/platform/open-bank.ts';
import { answer, inOrder, ok, type Script, scriptedBank } from './support/scripted-bank.ts';
import { bankWith, drivenTime, failureOf, PAYMENT, testBank } from './support/test-bank.ts';

/** Time that goes on when everybody waits for it, and a book that several processes share. */
function world(limits: CallBudgetOptions['limits'] = { all: 100, user: 50 }) {
  let now = 1_000_000;
  const timers: { at: number; wake: () => void }[] = [];
  const booked = new Map<string, number>();
  const sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      timers.push({ at: now + ms, wake });
    });
  const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
  return {
    now: () => now,
    sleep,
    waiting: () => timers.length,
    budget: () =>
      new CallBudget({
        limits,
        now: () => now,
        sleep,
        async book(key, lengthMs) {
          const startsAt = Math.max(now, booked.get(key) ?? 0);
          booked.set(key, startsAt + lengthMs);
          return startsAt;
        },
      }),
    async run(ms: number): Promise<void> {
      const end = now + ms;
      for (;;) {
        await settle();
        timers.sort((a, b) => a.at - b.at);
        const next = timers[0];
        if (next === undefined || next.at > end) break;
        timers.shift();
        now = Math.max(now, next.at);
        next.wake();
      }
      now = end;
    },
  };
}

const patient = (): AbortSignal => new AbortController().signal;
const read = { goesFirst: false, signal: patient() };
const send = { goesFirst: true, signal: patient() };

/** How many calls left in each second since `from`. */
function bySecond(at: readonly number[], from: number): number[] {
  const counts: number[] = [];
  for (const time of at) {
    const second = Math.floor((time - from) / 1_000);
    counts[second] = (counts[second] ?? 0) + 1;
  }
  return Array.from(counts, (count) => count ?? 0);
}

/** The most in any stretch of a second. */
const densest = (at: readonly number[]): number =>
  Math.max(...at.map((from) => at.filter((time) => time >= from && time < from + 1_000).length));

describe('the calls of all processes over one book', () => {
  it('keep the limit of all users together', async () => {
    const time = world();
    const left: number[] = [];
    for (const budget of [time.budget(), time.budget(), time.budget()]) {
      for (let n = 0; n < 200; n += 1) void budget.admit(read).then(() => left.push(time.now()));
    }
    await time.run(10_000);
    expect(left).toHaveLength(600);
    // A slice may begin within the second and end behind it.
    expect(densest(left)).toBeLessThanOrEqual(100 + 20);
    expect((left.at(-1) ?? 0) - (left[0] ?? 0)).toBeGreaterThan(5_500);
    expect((left.at(-1) ?? 0) - (left[0] ?? 0)).toBeLessThan(6_500);
  });

  it('keep the limit of one user, who leaves room to another', async () => {
    const time = world();
    const left = { many: [] as number[], few: [] as number[] };
    for (const budget of [time.budget(), time.budget()]) {
      for (let n = 0; n < 100; n += 1) {
        void onBehalfOf('u-1001', () => budget.admit(read)).then(() => left.many.push(time.now()));
      }
    }
    const other = time.budget();
    for (let n = 0; n < 10; n += 1) {
      void onBehalfOf('u-1002', () => other.admit(read)).then(() => left.few.push(time.now()));
    }
    await time.run(10_000);
    expect(densest(left.many)).toBeLessThanOrEqual(50 + 10);
    expect(left.many).toHaveLength(200);
    expect((left.few.at(-1) ?? 0) - (left.many[0] ?? 0)).toBeLessThan(1_000);
  });

  it('are not made by who has left', async () => {
    const time = world({ all: 5, user: 5 });
    const budget = time.budget();
    const leaving = new AbortController();
    await budget.admit(read);
    const gone = budget.admit({ goesFirst: false, signal: leaving.signal });
    const order: string[] = [];
    void budget.admit(read).then(() => order.push('read'));
    void budget.admit(send).then(() => order.push('send'));
    leaving.abort(new Error('no time left'));
    await expect(gone).rejects.toThrow('no time left');
    await time.run(1_000);
    expect(order).toEqual(['send', 'read']);
  });

  it('go on over a store that takes longer than a slice', async () => {
    const time = world();
    const budget = new CallBudget({
      limits: { all: 100, user: 50 },
      now: time.now,
      sleep: time.sleep,
      async book() {
        const startsAt = time.now();
        await time.sleep(1_000);
        return startsAt;
      },
    });
    const left: number[] = [];
    for (let n = 0; n < 50; n += 1) void budget.admit(read).then(() => left.push(time.now()));
    await time.run(5_000);
    expect(left).toHaveLength(50);
  });

  it.each([-3_600_000, 3_600_000])('go on when the clock is put right by %i ms while a slice is booked', async (ms) => {
    const time = world();
    let offMs = -ms;
    const now = (): number => time.now() + offMs;
    const budget = new CallBudget({
      ...{ limits: { all: 100, user: 50 }, now, sleep: time.sleep },
      async book() {
        const startsAt = now();
        offMs = 0;
        return startsAt;
      },
    });
    const left: number[] = [];
    for (let n = 0; n < 50; n += 1) void budget.admit(read).then(() => left.push(time.now()));
    await time.run(5_000);
    expect(left).toHaveLength(50);
  });

  it('are refused, not made, when the book cannot be had', async () => {
    const time = world();
    const budget = new CallBudget({
      limits: { all: 5, user: 5 },
      now: time.now,
      sleep: time.sleep,
      book: () => Promise.reject(new Error('no store')),
    });
    await expect(budget.admit(read)).rejects.toThrow('no store');
    await expect(budget.admit(send)).rejects.toThrow('no store');
  });
});

describe('a bank that was down', () => {
  it('is not met by all who waited, but by twice as many each second', async () => {
    const time = world({ all: 100, user: 100 });
    const budgets = [time.budget(), time.budget()];
    let isUp = false;
    const calls: number[] = [];
    /** Asks again and again, as what waits for a bank does. */
    const caller = async (budget: CallBudget): Promise<void> => {
      for (;;) {
        await budget.admit(read);
        calls.push(time.now());
        budget.ended({ isAnswered: isUp });
        if (isUp) return;
        await time.sleep(500);
      }
    };
    const callers = Array.from({ length: 500 }, (_, n) => caller(budgets[n % 2] as CallBudget));
    await time.run(20_000);
    const down = bySecond(calls, time.now() - 10_000).filter((_, second) => second >= 0);
    expect(Math.max(...down)).toBeLessThanOrEqual(6);
    const upAt = time.now();
    isUp = true;
    await time.run(30_000);
    await Promise.all(callers);
    const counts = bySecond(
      calls.filter((at) => at > upAt),
      upAt,
    );
    expect(counts[0]).toBeLessThanOrEqual(10);
    expect(counts[1]).toBeLessThanOrEqual(20);
    expect(counts[2]).toBeLessThanOrEqual(40);
    expect(Math.max(...counts)).toBeLessThanOrEqual(120);
    expect(Math.max(...counts)).toBeGreaterThan(60);
    expect(counts.reduce((sum, count) => sum + count)).toBe(500);
  });
});

describe('a bank that has had too many calls', () => {
  it('is left alone by everybody in the process for as long as it asks', async () => {
    const time = world({ all: 100, user: 100 });
    const budget = time.budget();
    const calls: number[] = [];
    const caller = async (): Promise<void> => {
      for (;;) {
        await budget.admit(read);
        calls.push(time.now());
        budget.ended({ isAnswered: true });
        await time.sleep(100);
      }
    };
    for (let n = 0; n < 8; n += 1) void caller();
    await time.run(2_000);
    const from = time.now();
    budget.ended({ isAnswered: false, quietMs: 5_000 });
    await time.run(30_000);
    const counts = bySecond(
      calls.filter((at) => at > from),
      from,
    );
    expect(counts.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(counts[5]).toBeGreaterThan(0);
    expect(Math.max(...counts.slice(5, 9))).toBeLessThanOrEqual(6);
    expect(counts[29]).toBeGreaterThan(40);
  });

  it('keeps nobody who has left waiting', async () => {
    const time = world();
    const budget = time.budget();
    budget.ended({ isAnswered: false, quietMs: 300_000 });
    const gone = new AbortController();
    const refused = budget.admit({ goesFirst: true, signal: gone.signal }).catch(() => time.now());
    await time.run(1_000);
    gone.abort();
    await time.run(1_000);
    expect(await refused).toBeLessThan(time.now());
    expect(time.waiting()).toBe(0);
  });
});

describe('a call of the client', () => {
  const ended: CallEnd[] = [];
  const noting = (admit: Admission['admit']): Admission => ({ admit, ended: (call) => ended.push(call) });
  const outcomes = async (script: Script): Promise<CallEnd[]> => {
    ended.length = 0;
    const { bank } = await bankWith(script, { admission: noting(async () => {}) });
    await bank.transactions.payment(PAYMENT).catch(() => {});
    return [...ended];
  };

  it('that is not let go leaves no byte and may be repeated', async () => {
    await using server = await scriptedBank(ok({ order_id: 'o-1' }));
    const never = noting(async () => Promise.reject(new Error('full')));
    const { clock, sleep } = drivenTime();
    await using bank = testBank(server.baseUrl, { admission: never, clock, sleep });
    const begun: string[] = [];
    const sending = bank.transactions.payment(PAYMENT, { beforeFirstByte: () => begun.push('byte') });
    expect(await failureOf(sending)).toMatchObject({ outcome: 'not-sent', retryable: true });
    expect(await failureOf(bank.accounts.get('acc-1'))).toMatchObject({ outcome: 'not-sent' });
    expect([begun, server.seen, server.tokenRequests]).toEqual([[], [], []]);
  });

  it('asks for each attempt, a send as one', async () => {
    const asked: boolean[] = [];
    await using server = await scriptedBank(inOrder(answer(503, ''), ok({ order_id: 'o-1' })));
    const admission = noting(async ({ goesFirst }) => void asked.push(goesFirst));
    const { clock, sleep } = drivenTime();
    await using bank = testBank(server.baseUrl, { admission, clock, sleep });
    await bank.orders.get('o-1').catch(() => {});
    await bank.transactions.payment(PAYMENT).catch(() => {});
    expect(asked.slice(0, 2)).toEqual([false, false]);
    expect(asked.at(-1)).toBe(true);
  });

  it('asks whether the bank is there before all reads that wait for it', async () => {
    const asked: boolean[] = [];
    await using server = await scriptedBank(ok([]));
    const admission = noting(async ({ goesFirst }) => void asked.push(goesFirst));
    await using bank = testBank(server.baseUrl, { admission });
    await bank.accounts.master();
    await bankAnswers(bank);
    expect(asked).toEqual([false, true]);
  });

  it.each<[string, Script, CallEnd]>([
    ['an order', ok({ order_id: 'o-1' }), { isAnswered: true }],
    ['a refusal', answer(400, { code: 2010 }), { isAnswered: true }],
    ['a refused token', answer(401, ''), { isAnswered: true }],
    ['a page of a maintenance', answer(200, '<html>later</html>'), { isAnswered: false }],
    ['the way to such a page', answer(302, '', { location: '/later' }), { isAnswered: false }],
    ['too many requests', answer(429, ''), { isAnswered: false }],
    ['too many requests for now', answer(429, '', { 'retry-after': '7' }), { isAnswered: false, quietMs: 7_000 }],
    [
      'too many requests, with a code',
      answer(429, { code: 2008 }, { 'retry-after': '7' }),
      { isAnswered: false, quietMs: 7_000 },
    ],
    ['a gateway that finds nobody', answer(502, ''), { isAnswered: false }],
    ['a resource that is away', answer(503, '', { 'retry-after': '7' }), { isAnswered: false }],
  ])('reports for %s whether the bank has judged it, and for how long it wants none', async (_what, script, end) => {
    expect(await outcomes(script)).toEqual([end]);
  });
});
