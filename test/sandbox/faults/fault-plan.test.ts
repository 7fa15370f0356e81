import { describe, expect, test } from 'vitest';
import { WRITE_KIND_NAMES } from '../../../src/sandbox/faults/faults.ts';
import { PAYMENT, paymentOf, runningSandbox, START, type TestSandbox } from '../running-sandbox.ts';

/** What a client saw of a payment: that it was placed, HTTP status and code, or that there was no answer. */
async function seen({ bank }: TestSandbox, reference: string): Promise<string> {
  try {
    const response = await bank.raw('POST', PAYMENT, { body: paymentOf({ reference }) });
    const text = await response.text();
    if (/^\{"code":0,.*"order_id":"[^"]+"\}\}$/.test(text)) return 'placed';
    return `${response.status} ${/"code":"?(\d+)/.exec(text)?.[1]}`;
  } catch {
    return 'none';
  }
}

async function planned(plan: Record<string, unknown>): Promise<TestSandbox> {
  const it = await runningSandbox({ profile: { dedupe: 'none' } });
  await it.proxy('PUT', '/fault-plan', plan);
  return it;
}

const references = Array.from({ length: 60 }, (_, n) => `r-${n}`);

async function allSeen(it: TestSandbox, order: readonly string[]): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const reference of order) result[reference] = await seen(it, reference);
  return result;
}

const isSlow = (kind: string) => ['delay-after', 'slow-after', 'late-commit-held'].includes(kind);
const QUICK = { lateMs: 100, clientLimitMs: 0, kinds: WRITE_KIND_NAMES.filter((kind) => !isSlow(kind)) };

describe('a fault plan', () => {
  test('gives the same requests the same faults, in any order', async () => {
    const plan = { seed: 7, rate: 0.5, ...QUICK };
    const forward = await allSeen(await planned(plan), references);
    expect(await allSeen(await planned(plan), references.toReversed())).toEqual(forward);
    expect(await allSeen(await planned({ ...plan, seed: 8 }), references)).not.toEqual(forward);
  });

  test('hits its share of the POSTs and counts them by kind', async () => {
    const it = await planned({ seed: 1, rate: 0.5, ...QUICK });
    const answers = Object.values(await allSeen(it, references));
    const { faultPlan } = await it.proxy('GET', '/state');
    const fired = Object.values<number>(faultPlan.writes.fired).reduce((sum, count) => sum + count, 0);
    expect(faultPlan.writes.seen).toBe(references.length);
    expect(fired).toBe(answers.filter((answer) => answer !== 'placed').length);
    expect(fired).toBeGreaterThan(20);
    expect(fired).toBeLessThan(40);
  });

  test.each(WRITE_KIND_NAMES)('%s can be the only kind', async (kind) => {
    const clientLimitMs = 600_000;
    const it = await planned({ seed: 'one', rate: 1, kinds: [kind], lateMs: 0, clientLimitMs });
    const fired = async () => (await it.proxy('GET', '/state')).faultPlan.writes.fired;
    const hit = expect.poll(fired).toEqual({ [kind]: 1 });
    const answered = seen(it, 'only');
    const given = await (isSlow(kind) ? Promise.race([answered, hit.then(() => 'no-answer')]) : answered);
    await hit;
    it.sandbox.clock.advance(clientLimitMs);
    const { orders } = await it.proxy('GET', '/state');
    const commits = !['drop-before', 'http-before', 'code-before', 'unauthorized', 'throttled'].includes(kind);
    expect(orders).toHaveLength(commits ? 1 : 0);
    expect(given).toMatch(ANSWERS[kind]);
  });

  test('of the default mix a third at least is committed and never answered in time', async () => {
    const it = await planned({ seed: 3, rate: 1, lateMs: 0, clientLimitMs: 0 });
    for (let n = 0; n < 300; n += 1) {
      void seen(it, `many-${n}`);
      if (n % 20 === 0) await it.proxy('GET', '/state');
    }
    await expect.poll(async () => (await it.proxy('GET', '/state')).faultPlan.writes.seen).toBe(300);
    const { fired } = (await it.proxy('GET', '/state')).faultPlan.writes;
    expect(Object.keys(fired).sort()).toEqual([...WRITE_KIND_NAMES].sort());
    const lost = ['drop-after', 'delay-after', 'late-commit', 'late-commit-held'];
    expect(lost.reduce((sum, kind) => sum + fired[kind], 0)).toBeGreaterThanOrEqual(100);
  });

  test('leaves reads and operations it does not name alone', async () => {
    const it = await planned({ seed: 1, rate: 1, operations: ['orders.approve'] });
    expect(await seen(it, 'spared')).toBe('placed');
    const query = { uid: 'u-1001', currency: 'USD' };
    expect((await it.bank.call('GET', '/v1/banking/transactions', { query })).code).toBe(0);
    expect((await it.proxy('GET', '/state')).faultPlan).toMatchObject({
      writes: { seen: 0, fired: {} },
      reads: { seen: 1, fired: {} },
    });
  });

  test('hits reads when it is set to, and commits nothing by that', async () => {
    const it = await planned({ seed: 1, rate: 0, readRate: 1 });
    for (let n = 0; n < 10; n += 1) await it.bank.raw('GET', '/v1/banking/accounts').catch(() => undefined);
    const { reads } = (await it.proxy('GET', '/state')).faultPlan;
    expect(reads.seen).toBe(10);
    expect(Object.values<number>(reads.fired).reduce((sum, count) => sum + count, 0)).toBe(10);
  });

  test('a scripted fault goes first, and DELETE ends the plan', async () => {
    const it = await planned({ seed: 1, rate: 1, kinds: ['http-before'] });
    await it.proxy('POST', '/faults', { operation: 'transactions.payment', kind: 'code', code: 2008, commit: false });
    expect(await seen(it, 'scripted')).toBe('200 2008');
    expect(await seen(it, 'planned')).toMatch(/^5\d\d undefined$/);
    await it.proxy('DELETE', '/fault-plan');
    expect(await seen(it, 'free')).toBe('placed');
    expect((await it.proxy('GET', '/state')).faultPlan).toBeNull();
  });

  test.each([
    { seed: 1, rate: 1.5 },
    { rate: 0.5 },
    { seed: 1, rate: 1, kinds: ['explode'] },
    { seed: 1, rate: 1, operations: ['auth'] },
  ])('refuses %j', async (plan) => {
    const it = await runningSandbox();
    await expect(it.proxy('PUT', '/fault-plan', plan)).rejects.toThrow('HTTP 400');
  });
});

test('POSTs are logged with their fault, and read on from a number', async () => {
  const it = await planned({ seed: 1, rate: 1, kinds: ['drop-after'] });
  await seen(it, 'first');
  await it.proxy('DELETE', '/fault-plan');
  await seen(it, 'second');
  const { posts } = await it.proxy('GET', '/posts');
  expect(posts).toMatchObject([
    { seq: 1, operation: 'transactions.payment', fault: 'drop-after', committedAt: START, answered: null },
    { seq: 2, path: PAYMENT, fault: null, madeId: expect.stringMatching(/^ord-/) },
  ]);
  expect(posts[1].answered).toEqual({ httpStatus: 200, code: 0 });
  expect(JSON.parse(posts[0].body)).toMatchObject({ reference: 'first', amount: '100.00' });
  expect(await it.proxy('GET', '/posts?after=1')).toEqual({ posts: [posts[1]] });
});

/** What each kind shows; the slow ones once they have begun. */
const ANSWERS: Readonly<Record<(typeof WRITE_KIND_NAMES)[number], RegExp>> = {
  'drop-after': /^none$/,
  'delay-after': /^no-answer$/,
  'late-commit': /^none$/,
  'late-commit-held': /^no-answer$/,
  'drop-before': /^none$/,
  'http-after': /^50[024] undefined$/,
  'http-before': /^50[024] undefined$/,
  'code-after': /^(200|500) (2001|2008|2011)$/,
  'code-before': /^(200|500) (2001|2008|2011)$/,
  'garbage-after': /^(none|200 0)$/,
  'slow-after': /^no-answer$/,
  unauthorized: /^401 undefined$/,
  throttled: /^(429|503) undefined$/,
};
