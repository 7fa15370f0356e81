import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { limitsPass, limitsSet, watchLimits } from '../../support/time-limit.ts';
import { PAYMENT, pay, paymentOf, runningSandbox, START, type TestSandbox } from '../running-sandbox.ts';

const operation = 'transactions.payment';
const orders = async ({ proxy }: TestSandbox) => (await proxy('GET', '/state')).orders.length;
const post = ({ bank }: TestSandbox, changes: Record<string, unknown> = {}) =>
  bank.raw('POST', PAYMENT, { body: paymentOf(changes) });

/** The order id that a client can read out of the answer. */
async function placed(it: TestSandbox): Promise<string | undefined> {
  const response = await post(it);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
    const { code, data } = JSON.parse(text);
    return code === 0 ? data?.order_id : undefined;
  } catch {
    return undefined;
  }
}

describe('faults', () => {
  test.each([
    ['refuse-before', 0],
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s closes the socket and leaves %i orders', async (kind, committed) => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind });
    await expect(post(it)).rejects.toThrow();
    expect(await orders(it)).toBe(committed);
    expect((await it.proxy('GET', '/faults')).faults).toMatchObject([{ kind, seen: 1, fired: 1 }]);
  });

  test.each([true, false])('code answers its envelope, commit %s', async (commit) => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'code', code: 2011, commit, httpStatus: 503 });
    const response = await post(it);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 2011, msg: 'In Progress' });
    expect(await orders(it)).toBe(commit ? 1 : 0);
  });

  test.each([true, false])('http answers a page that is no envelope, commit %s', async (commit) => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'http', status: 502, commit });
    const response = await post(it);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('<h1>502</h1>');
    expect(await orders(it)).toBe(commit ? 1 : 0);
  });

  test('garbage-after commits and cuts the envelope in two', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'garbage-after' });
    const text = await (await post(it)).text();
    expect(text).toMatch(/^\{"code":0/);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(await orders(it)).toBe(1);
  });

  test('delay-after commits at once and answers late', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'delay-after', ms: 3_600_000 });
    let answered = false;
    const answer = post(it).finally(() => {
      answered = true;
    });
    while ((await orders(it)) === 0);
    expect(answered).toBe(false);
    const cutOff = expect(answer).rejects.toThrow();
    await it.sandbox.close();
    await cutOff;
  });

  test('delay-after answers as if nothing had been', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'delay-after', ms: 1 });
    expect(await (await post(it)).json()).toMatchObject({ code: 0 });
  });

  test.each(['half', 'no-utf8', 'no-data', 'text-code', 'cut'])(
    'garbage-after %s commits and answers no success',
    async (form) => {
      const it = await runningSandbox();
      await it.proxy('POST', '/faults', { operation, kind: 'garbage-after', form });
      expect(await placed(it)).toBeUndefined();
      expect(await orders(it)).toBe(1);
    },
  );

  test('slow-after commits at once and answers in pieces', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'slow-after', ms: 200 });
    const timers = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => timers.mockRestore());
    const response = await post(it);
    expect(await orders(it)).toBe(1);
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([200 / 20]);
    const pieces: number[] = [];
    for await (const piece of response.body as AsyncIterable<Uint8Array>) pieces.push(piece.length);
    expect(pieces.length).toBeGreaterThan(3);
  });

  test('late-commit closes the socket and commits by the clock, at its own time', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'late-commit', ms: 5_000 });
    await expect(post(it)).rejects.toThrow();
    it.sandbox.clock.advance(4_999);
    expect(await it.proxy('GET', '/state')).toMatchObject({ orders: [], lateCommits: 1 });
    it.sandbox.clock.advance(2_000);
    expect(await it.proxy('GET', '/state')).toMatchObject({
      orders: [{ created_at: START + 5_000, updated_at: START + 6_500, status: 'COMPLETED' }],
      lateCommits: 0,
    });
  });

  test('late-commit of a repeat that came first is refused like any other', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'late-commit', ms: 5_000 });
    await expect(post(it, { reference: 'twice' })).rejects.toThrow();
    await pay(it.bank, { reference: 'twice' });
    it.sandbox.clock.advance(5_000);
    expect(await orders(it)).toBe(1);
  });

  test('late-commit without a hang-up leaves the client waiting and commits when it is gone', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'late-commit', ms: 1_000, hangUp: false });
    const body = JSON.stringify(paymentOf());
    const headers = { 'content-type': 'application/json', authorization: it.bank.token };
    const client = new AbortController();
    const { signal } = client;
    const answer = fetch(`${it.sandbox.url}${PAYMENT}`, { method: 'POST', headers, body, signal });
    const goes = expect(answer).rejects.toThrow('aborted');
    await expect.poll(async () => (await it.proxy('GET', '/faults')).faults).toMatchObject([{ fired: 1 }]);
    client.abort();
    await goes;
    expect(await orders(it)).toBe(0);
    it.sandbox.clock.advance(1_000);
    expect(await orders(it)).toBe(1);
  });

  test('http can say when to come back', async () => {
    const it = await runningSandbox();
    const fault = { operation, kind: 'http', status: 429, commit: false, retryAfterSeconds: 7 };
    await it.proxy('POST', '/faults', fault);
    const response = await post(it);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  });

  test('an outage refuses connections for its time and no longer', async () => {
    const it = await runningSandbox();
    watchLimits();
    await it.proxy('POST', '/outage', { ms: 600_000 });
    // A connection of its own: one that was kept alive may still be open.
    const connection = connect(Number(new URL(it.sandbox.url).port), '127.0.0.1');
    await expect(once(connection, 'connect')).rejects.toThrow('ECONNREFUSED');
    expect(limitsSet()).toContain(600_000);
    limitsPass();
    await expect.poll(() => pay(it.bank).catch(() => 'refused')).toMatch(/^ord-/);
  });

  test('an outage ends once the process that took the port meanwhile has left it', async () => {
    const it = await runningSandbox();
    watchLimits();
    await it.proxy('POST', '/outage', { ms: 600_000 });
    const other = createServer().listen(Number(new URL(it.sandbox.url).port), '127.0.0.1');
    await once(other, 'listening');
    const limits = limitsSet().length;
    limitsPass();
    await expect.poll(() => limitsSet().length).toBeGreaterThan(limits);
    other.close();
    limitsPass();
    await expect.poll(() => pay(it.bank).catch(() => 'refused')).toMatch(/^ord-/);
  });

  test('hits the nth matching request and the times that follow, in the order faults were set', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', {
      operation,
      kind: 'code',
      code: 2001,
      commit: false,
      match: { nth: 2 },
      times: 2,
    });
    await it.proxy('POST', '/faults', { operation, kind: 'code', code: 2008, commit: false });
    const codes: number[] = [];
    for (let request = 0; request < 5; request += 1)
      codes.push(((await (await post(it)).json()) as { code: number }).code);
    expect(codes).toEqual([2008, 2001, 2001, 0, 0]);
  });

  test('hits only the reference it names, and no other operation', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'drop-after', match: { reference: 'unlucky' } });
    await pay(it.bank, { reference: 'lucky' });
    expect(
      (await it.bank.call('GET', '/v1/banking/transactions', { query: { uid: 'u-1001', currency: 'USD' } })).code,
    ).toBe(0);
    await expect(post(it, { reference: 'unlucky' })).rejects.toThrow();
    expect((await it.proxy('GET', '/faults')).faults).toMatchObject([{ seen: 1, fired: 1 }]);
    expect(await orders(it)).toBe(2);
  });

  test('can hit the token request', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation: 'auth', kind: 'http', status: 500, commit: false });
    const credentials = { api_key: 'sandbox-key', api_secret: 'sandbox-secret' };
    expect((await it.bank.raw('POST', '/v1/auth', { body: credentials })).status).toBe(500);
    expect((await it.bank.raw('POST', '/v1/auth', { body: credentials })).status).toBe(200);
  });

  test('are gone after DELETE', async () => {
    const it = await runningSandbox();
    await it.proxy('POST', '/faults', { operation, kind: 'drop-before', times: 9 });
    await it.proxy('DELETE', '/faults');
    expect(await pay(it.bank)).toMatch(/^ord-/);
  });

  test.each([
    { operation: 'transactions.paymnt', kind: 'drop-after' },
    { operation, kind: 'explode' },
    { operation, kind: 'code', code: 1, commit: true },
    { operation, kind: 'refuse-before', match: { reference: 'r' } },
    { operation, kind: 'drop-after', when: 'always' },
  ])('refuses %j, which would never fire', async (fault) => {
    const it = await runningSandbox();
    await expect(it.proxy('POST', '/faults', fault)).rejects.toThrow('HTTP 400');
  });
});
