import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Policy, Role, Scope } from '../../../src/domain/authority.ts';
import { cardClaim } from '../../store/card-samples.ts';
import { batchClaim } from '../../store/samples.ts';
import { policyWithTokens as withTokens } from './policy-with-tokens.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

const PEOPLE: readonly [name: string, roles: Role[], scope?: Scope][] = [
  ['alice', ['maker']],
  ['anna', ['maker'], { currencies: ['EUR'] }],
  ['bob', ['approver'], { currencies: ['EUR'] }],
  ['carol', ['operator']],
  ['erin', ['auditor']],
  ['zoe', ['maker', 'operator']],
];

/** That of `zoe` has expired. */
const policyWithTokens = (): Policy => withTokens(PEOPLE, ['zoe']);

const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}` });

const CSV =
  'id,uid,account_id,amount,currency,beneficiary_id\nr-1,u-1001,acc-u1001-usd,12.50,USD,ben-u1001-usd-local\n';

async function withBatch(): Promise<{ gateway: RunningGateway; batchId: string }> {
  const gateway = await openGateway([], { policy: policyWithTokens() });
  const taken = await gateway.post('', CSV, as('alice'));
  expect(taken.status).toBe(202);
  return { gateway, batchId: taken.document.batchId };
}

it('lets nobody in without a token of the policy, not even on this machine', async () => {
  const { send } = await openGateway([], { policy: policyWithTokens() });
  expect((await send('/v1/batches')).status).toBe(401);
  expect((await send('/v1/batches', { headers: as('mallory') })).status).toBe(401);
  expect((await send('/v1/batches', { headers: as('zoe') })).status).toBe(401);
  expect((await send('/v1/batches', { headers: as('alice') })).status).toBe(200);
});

it('shows and gives a batch to nobody outside of whose scope it is', async () => {
  const { gateway, batchId } = await withBatch();
  const seenBy = async (name: string): Promise<[listed: number, status: number]> => {
    const { document } = await gateway.send('/v1/batches', { headers: as(name) });
    const { status } = await gateway.send(`/v1/batches/${batchId}`, { headers: as(name) });
    return [document.batches.length, status];
  };
  expect(await seenBy('alice')).toEqual([1, 200]);
  expect(await seenBy('carol')).toEqual([1, 200]);
  expect(await seenBy('erin')).toEqual([1, 200]);
  expect(await seenBy('anna')).toEqual([0, 404]);
  expect(await seenBy('bob')).toEqual([0, 404]);
  const report = await gateway.send(`/v1/batches/${batchId}/reports/csv`, { headers: as('bob') });
  expect(report.status).toBe(404);
});

it('hides every route of a batch from people who may not see it, the next one too', async () => {
  const { gateway, batchId } = await withBatch();
  const { paths } = (await gateway.send('/openapi.json')).document as { paths: Record<string, object> };
  const routes = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/batches/{id}'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })));
  const answers = await Promise.all(
    routes.map(async ({ path, method }) => {
      const its = path.replace('{id}', batchId).replace('{name}', 'csv').replace('{format}', 'camt054');
      const asked = method === 'GET' ? `${its}${path.endsWith('/plan') ? '?question=payout' : ''}` : its;
      const body = path.endsWith('/decisions') ? JSON.stringify({ decision: 'approve' }) : undefined;
      const name = /plan|decisions/.test(path) ? 'bob' : 'anna';
      const headers = { ...as(name), ...(body !== undefined && { 'content-type': 'application/json' }) };
      const { status, document } = await gateway.send(asked, { method, headers, body });
      return { route: `${method} ${path}`, status, code: document.error?.code };
    }),
  );
  expect(answers).toEqual(
    routes.map(({ path, method }) => ({ route: `${method} ${path}`, status: 404, code: 'unknown-id' })),
  );
  expect(answers.length).toBeGreaterThan(8);
});

it('nor to a person who hands over a row of it: who may see it is shown it, others learn that the row was taken', async () => {
  const policy = withTokens([
    ['alice', ['maker']],
    ['anna', ['maker']],
  ]);
  const gateway = await openGateway([], { policy });
  const other = 'r-2,u-1002,acc-u1002-usd,99000.00,USD,ben-u1002-usd-local\n';
  const { batchId } = (await gateway.post('', CSV + other, as('alice'))).document;
  const { status, document } = await gateway.post('', CSV, as('anna'));
  expect([status, document.error.code]).toEqual([409, 'already-taken']);
  expect(JSON.stringify(document)).not.toMatch(new RegExp(`${batchId}|r-2|acc-u1002-usd`));
  for (const [rule, file] of [
    ['already-taken', `${CSV}${CSV.split('\n')[1]?.replace('r-1', 'r-9')}\n`],
    ['id-reused', CSV.replace('12.50', '12.60')],
  ] as const) {
    const refused = await gateway.post('', file, as('anna'));
    expect(refused).toMatchObject({ status: 422, document: { findings: [{ rule }] } });
    expect(JSON.stringify(refused.document)).not.toContain(batchId);
    expect(JSON.stringify((await gateway.post('', file, as('alice'))).document)).toContain(batchId);
  }
  expect(await gateway.post('', CSV, as('alice'))).toMatchObject({ status: 200, document: { batchId } });
  await gateway.proxy.end(batchId);
  const ended = await gateway.post('', CSV, as('anna'));
  expect(ended).toMatchObject({ status: 409, document: { error: { code: 'already-taken' } } });
  expect(JSON.stringify(ended.document)).not.toContain(batchId);
  const own = await gateway.post('', CSV, as('alice'));
  expect(own).toMatchObject({ status: 409, document: { error: { batchId } } });
});

it('shows the plan of a file, with what its accounts hold, only to a maker within whose scope it is', async () => {
  const policy = policyWithTokens();
  const gateway = await openGateway([], { policy });
  for (const [name, code] of [
    ['anna', 'outside-scope'],
    ['bob', 'role-missing'],
    ['erin', 'role-missing'],
  ] as const) {
    const { status, document } = await gateway.post('?dry_run=true', CSV, as(name));
    expect([status, document.error?.code]).toEqual([403, code]);
    expect(JSON.stringify(document)).not.toContain('acc-u1001-usd');
  }
  const planned = await gateway.post('?dry_run=true', CSV, as('alice'));
  expect(planned.document).toMatchObject({ plan: { balances: [{ accountId: 'acc-u1001-usd' }] } });
});

it('shows the balance of no account of another user, for any uid of a row', async () => {
  const policy = withTokens([['anna', ['maker'], { uids: ['u-1001'] }]]);
  const gateway = await openGateway([], { policy });
  const foreign = CSV.replace('acc-u1001-usd', 'acc-u1002-usd');
  const { document } = await gateway.post('?dry_run=true', foreign, as('anna'));
  expect(document).toMatchObject({ findings: [{ rule: 'account-not-own' }] });
  expect(JSON.stringify(document)).not.toContain('balance');
});

it('lets nobody decide about a card payment but who has made it, and an operator of its currency', async () => {
  const operators: typeof PEOPLE = [
    ['dora', ['operator'], { currencies: ['USD'], uids: ['u-1001'] }],
    ['oleg', ['operator'], { currencies: ['EUR'] }],
  ];
  const gateway = await openGateway([], { policy: withTokens([...PEOPLE, ...operators], ['zoe']) });
  await gateway.proxy.store.cards.claim(cardClaim('order-1', { by: 'alice', at: 1 }));
  gateway.cards.answer = { outcome: 'answered', answer: { amount: '9.00', outcome: 'cancelled' } };
  const base = '/v1/card-payments/order-1';
  const asked = async (name: string, path: string, body?: object): Promise<number> => {
    const headers = { ...as(name), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    return (await gateway.send(base + path, { method: 'POST', headers, body: body && JSON.stringify(body) })).status;
  };
  const statuses = async (name: string): Promise<number[]> => [
    await asked(name, '/amount', { amount: '9' }),
    await asked(name, '/cancel'),
    await asked(name, '/returned'),
  ];
  for (const name of ['alice', 'carol', 'dora']) expect(await statuses(name)).toEqual([200, 200, 200]);
  const reported = gateway.cards.reported.length;
  expect((await gateway.send(base, { headers: as('erin') })).status).toBe(200);
  expect(await statuses('erin')).toEqual([403, 403, 403]);
  for (const name of ['anna', 'oleg']) {
    expect((await gateway.send(base, { headers: as(name) })).status).toBe(404);
    expect(await statuses(name)).toEqual([404, 404, 404]);
  }
  expect(gateway.cards.reported).toHaveLength(reported);
});

it('gives the client secret of a card payment to nobody but who has made it, who gets a new one', async () => {
  const gateway = await openGateway([], { policy: withTokens(PEOPLE, ['zoe']) });
  const RETURN = 'http://127.0.0.1/back';
  const create = async (name: string) => {
    const body = JSON.stringify({
      merchant_request_id: 'order-1',
      amount: '9.90',
      currency: 'EUR',
      return_url: RETURN,
    });
    const headers = { ...as(name), 'content-type': 'application/json' };
    return gateway.send('/v1/card-payments', { method: 'POST', headers, body });
  };
  const [made, foreign, again] = [await create('alice'), await create('anna'), await create('alice')];
  expect([made, foreign, again].map(({ status }) => status)).toEqual([202, 409, 200]);
  expect(foreign.document).toMatchObject({ error: { code: 'id-reused' } });
  expect(again.document.client_secret).not.toBe(made.document.client_secret);
  const bySecret = { authorization: `Bearer ${again.document.client_secret}` };
  expect((await gateway.send('/v1/card-payments/order-1', { headers: bySecret })).status).toBe(200);
});

it('lists a batch, and a card payment, behind a hundred of others', async () => {
  const { gateway, batchId } = await withBatch();
  const { store } = gateway.proxy;
  const at = Date.now() + 60_000;
  for (let n = 0; n < 101; n += 1) await store.claimBatch({ ...batchClaim(`later-${n}`, [`X-${n}`], at), by: 'bob' });
  const { document } = await gateway.send('/v1/batches', { headers: as('alice') });
  expect(document.batches).toMatchObject([{ batchId }]);
  await store.cards.claim(cardClaim('order-1', { by: 'alice', at: 1 }));
  for (let n = 0; n < 101; n += 1) await store.cards.claim(cardClaim(`later-${n}`, { by: 'bob', at: 2 }));
  const cards = await gateway.send('/v1/card-payments', { headers: as('alice') });
  expect(cards.document.card_payments).toMatchObject([{ merchant_request_id: 'order-1' }]);
});

it('is controlled by its maker and by operators, in their own name', async () => {
  const { gateway, batchId } = await withBatch();
  const pause = async (name: string, query = ''): Promise<number> =>
    (await gateway.send(`/v1/batches/${batchId}/pause${query}`, { method: 'POST', headers: as(name) })).status;
  expect(await pause('erin')).toBe(403);
  expect(await pause('anna')).toBe(404);
  expect(await pause('alice', '?by=carol')).toBe(403);
  expect(await pause('alice')).toBe(200);
  expect(await pause('carol')).toBe(200);
  expect(gateway.controls.map(({ by }) => by)).toEqual(['alice', 'carol']);
  const refused = (await gateway.proxy.store.auditEntriesOf(batchId)).filter(({ action }) => action === 'refused');
  expect(refused.map(({ actor, detail }) => [actor, detail.route, detail.why])).toEqual([
    ['erin', '/v1/batches/:id/pause', 'Your role or scope in the policy does not allow you to do this.'],
    ['alice', '/v1/batches/:id/pause', 'This token may only act under its own name.'],
  ]);
});

it('lets nobody in with a token that is taken out of the policy, from the next request on', async () => {
  let policy = policyWithTokens();
  const { send } = await openGateway([], { policy: () => policy });
  expect((await send('/v1/batches', { headers: as('alice') })).status).toBe(200);
  policy = { ...policy, people: policy.people.map((person) => ({ ...person, tokens: [] })) };
  expect((await send('/v1/batches', { headers: as('alice') })).status).toBe(401);
});

it('works on so many requests of a caller at once, and on those of others all the same', async () => {
  const { send, app } = await openGateway([], { policy: policyWithTokens(), atOnce: 2 });
  const gate = Promise.withResolvers<void>();
  const { batches } = app.store;
  app.store.batches = async (...given) => {
    await gate.promise;
    return batches(...given);
  };
  const ask = (name: string) => send('/v1/batches', { headers: as(name) });
  const first = [ask('alice'), ask('alice')];
  await expect.poll(async () => (await ask('alice')).status).toBe(429);
  const refused = await ask('alice');
  expect(refused.document).toMatchObject({ error: { code: 'too-many-at-once' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  const other = ask('erin');
  gate.resolve();
  for (const { status } of await Promise.all([...first, other])) expect(status).toBe(200);
  await expect.poll(async () => (await ask('alice')).status).toBe(200);
});

it('works on no more for a caller who does not wait for the answers', async () => {
  const { send, app, url } = await openGateway([], { policy: policyWithTokens(), atOnce: 2 });
  const gate = Promise.withResolvers<void>();
  const { batches } = app.store;
  let asked = 0;
  app.store.batches = async (...given) => {
    asked += 1;
    await gate.promise;
    return batches(...given);
  };
  const gone = new AbortController();
  for (const _ of [1, 2]) fetch(`${url}/v1/batches`, { headers: as('alice'), signal: gone.signal }).catch(() => {});
  await expect.poll(() => asked).toBe(2);
  gone.abort();
  await setTimeout(100);
  expect((await send('/v1/batches', { headers: as('alice') })).status).toBe(429);
  gate.resolve();
  await expect.poll(async () => (await send('/v1/batches', { headers: as('alice') })).status).toBe(200);
});

it('reads two files of a caller at once, the others in turn, and those of others all the same', async () => {
  const policy = withTokens([
    ['alice', ['maker']],
    ['anna', ['maker']],
  ]);
  const gateway = await openGateway([], { policy });
  const gate = Promise.withResolvers<void>();
  const begun: (string | null)[] = [];
  const { store } = gateway.app;
  const { claimBatch } = store;
  store.claimBatch = async (claim) => {
    begun.push(claim.by);
    await gate.promise;
    return claimBatch.call(store, claim);
  };
  const fileOf = (id: string) => CSV.replace('r-1', id).replace(/\d+\.\d\d/, `${id.charCodeAt(0)}.00`);
  const sent = ['a', 'b', 'c', 'd', 'e'].map((id) => gateway.post('', fileOf(id), as('alice')));
  await expect.poll(() => begun.length).toBe(2);
  const other = gateway.post('', fileOf('f'), as('anna'));
  await expect.poll(() => begun).toContain('anna');
  expect(begun).toEqual(['alice', 'alice', 'anna']);
  gate.resolve();
  for (const { status } of await Promise.all([...sent, other])) expect(status).toBe(202);
  expect(begun).toHaveLength(6);
});

it('reads no file of somebody who may not hand it over, not even its first byte', async () => {
  const gateway = await openGateway([], { policy: policyWithTokens() });
  const asked: unknown[] = [];
  // Read whenever a file is about to be taken.
  Object.defineProperty(gateway.app.config, 'lookAlikeDays', { get: () => asked.push('taken') });
  for (const name of ['bob', 'erin', 'carol']) {
    const { status, document } = await gateway.post('', 'no file of payouts at all', as(name));
    expect([name, status, document.error.code]).toEqual([name, 403, 'role-missing']);
  }
  expect([asked, readdirSync(gateway.uploads)]).toEqual([[], []]);
});

it('slows down a caller who asks too often, and nobody else', async () => {
  const { send } = await openGateway([], { policy: policyWithTokens(), perMinute: 3 });
  const ask = async (name: string): Promise<number> => (await send('/v1/batches', { headers: as(name) })).status;
  for (let n = 0; n < 3; n += 1) expect(await ask('alice')).toBe(200);
  const refused = await send('/v1/batches', { headers: as('alice') });
  expect(refused.status).toBe(429);
  expect(refused.document).toMatchObject({ error: { code: 'too-many-requests' } });
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await ask('erin')).toBe(200);
});

it('asks the bank no more often than it has to, however often it is asked whether it is ready', async () => {
  const { send, app } = await openGateway();
  let asked = 0;
  const { authenticate } = app.bank;
  app.bank.authenticate = () => authenticate().finally(() => (asked += 1));
  for (let n = 0; n < 20; n += 1) expect((await send('/readyz')).status).toBe(200);
  expect(asked).toBeLessThan(5);
});
