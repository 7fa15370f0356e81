import { describe, expect, test } from 'vitest';
import { PAYMENT, pay, paymentOf, runningSandbox, type TestSandbox } from './running-sandbox.ts';

const operation = 'transactions.payment';
const orders = async ({ door }: TestSandbox) => (await door('GET', '/state')).orders.length;
const post = ({ bank }: TestSandbox, changes: Record<string, unknown> = {}) =>
  bank.raw('POST', PAYMENT, { body: paymentOf(changes) });

describe('faults', () => {
  test.each([
    ['refuse-before', 0],
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s closes the socket and leaves %i orders', async (kind, committed) => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind });
    await expect(post(it)).rejects.toThrow();
    expect(await orders(it)).toBe(committed);
    expect((await it.door('GET', '/faults')).faults).toMatchObject([{ kind, seen: 1, fired: 1 }]);
  });

  test.each([true, false])('code answers its envelope, commit %s', async (commit) => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind: 'code', code: 2011, commit, httpStatus: 503 });
    const response = await post(it);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 2011, msg: 'In Progress' });
    expect(await orders(it)).toBe(commit ? 1 : 0);
  });

  test.each([true, false])('http answers a page that is no envelope, commit %s', async (commit) => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind: 'http', status: 502, commit });
    const response = await post(it);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('<h1>502</h1>');
    expect(await orders(it)).toBe(commit ? 1 : 0);
  });

  test('garbage-after commits and cuts the envelope in two', async () => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind: 'garbage-after' });
    const text = await (await post(it)).text();
    expect(text).toMatch(/^\{"code":0/);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(await orders(it)).toBe(1);
  });

  test('delay-after commits at once and answers late', async () => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind: 'delay-after', ms: 3_600_000 });
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
    await it.door('POST', '/faults', { operation, kind: 'delay-after', ms: 1 });
    expect(await (await post(it)).json()).toMatchObject({ code: 0 });
  });

  test('hits the nth matching request and the times that follow, in the order faults were set', async () => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', {
      operation,
      kind: 'code',
      code: 2001,
      commit: false,
      match: { nth: 2 },
      times: 2,
    });
    await it.door('POST', '/faults', { operation, kind: 'code', code: 2008, commit: false });
    const codes: number[] = [];
    for (let request = 0; request < 5; request += 1)
      codes.push(((await (await post(it)).json()) as { code: number }).code);
    expect(codes).toEqual([2008, 2001, 2001, 0, 0]);
  });

  test('hits only the reference it names, and no other operation', async () => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind: 'drop-after', match: { reference: 'unlucky' } });
    await pay(it.bank, { reference: 'lucky' });
    expect(
      (await it.bank.call('GET', '/v1/banking/transactions', { query: { uid: 'u-1001', currency: 'USD' } })).code,
    ).toBe(0);
    await expect(post(it, { reference: 'unlucky' })).rejects.toThrow();
    expect((await it.door('GET', '/faults')).faults).toMatchObject([{ seen: 1, fired: 1 }]);
    expect(await orders(it)).toBe(2);
  });

  test('can hit the token request', async () => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation: 'auth', kind: 'http', status: 500, commit: false });
    const credentials = { api_key: 'sandbox-key', api_secret: 'sandbox-secret' };
    expect((await it.bank.raw('POST', '/v1/auth', { body: credentials })).status).toBe(500);
    expect((await it.bank.raw('POST', '/v1/auth', { body: credentials })).status).toBe(200);
  });

  test('are gone after DELETE', async () => {
    const it = await runningSandbox();
    await it.door('POST', '/faults', { operation, kind: 'drop-before', times: 9 });
    await it.door('DELETE', '/faults');
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
    await expect(it.door('POST', '/faults', fault)).rejects.toThrow('HTTP 400');
  });
});
