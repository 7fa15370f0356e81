import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { tokenSha256 } from '../../../src/channels/http/callers.ts';
import { guardRoutes, type RouteAccess } from '../../../src/channels/http/route-access.ts';
import { ROLES, type Scope } from '../../../src/domain/authority.ts';
import { cardClaim } from '../../store/card-samples.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import {
  openPages,
  type People,
  pagePeople,
  type Roles,
  type Seen,
  signedIn,
  submitFile,
  Visit,
} from '../pages/visiting.ts';
import { openGateway } from './running-gateway.ts';
import { UNEXPLAINED } from './statement-samples.ts';

/** Who may use every route, by what a person reads in the policy. A new route has to be added here. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  open: [
    ...['GET /healthz', 'GET /readyz', 'POST /v1/webhooks/cards', 'GET /*'],
    ...['', '/again', '/card', '/fingerprint', '/returned'].map((path) => `OPTIONS /v1/card-payments/:id${path}`),
    ...['/codec/encode', '/codec/decode', '/codec/:namespace/encode', '/codec/:namespace/decode'].map(
      (path) => `OPTIONS ${path}`,
    ),
    ...['pages.css', 'icon.svg', 'forms.js', 'live.js', 'webauthn.js'].map((name) => `GET /assets/${name}`),
    ...['GET /sign-in', 'POST /sign-in', 'POST /sign-out', 'GET /passkey', 'POST /passkey'],
  ],
  'maker approver compliance operator auditor, none': [
    ...['GET /v1/required-details', 'GET /openapi.json'],
    ...['GET /display', 'POST /display'],
  ],
  'maker approver compliance operator auditor, each': [
    ...[
      'GET /v1/batches',
      'GET /v1/batches/:id',
      'GET /',
      'GET /payouts',
      'GET /payouts.csv',
      'GET /payouts/:reference',
      'GET /payouts/:reference/advice',
    ],
    'POST /payouts/:reference/comments',
    ...['GET /batches', 'GET /batches/:id', 'GET /batches/:id/live', 'GET /overview'],
    ...[
      'GET /v1/payouts',
      'GET /v1/hindrances',
      'GET /v1/inbox',
      'GET /v1/me',
      'GET /v1/find',
      'GET /v1/waiting',
      'GET /v1/payouts/:reference',
      'GET /v1/payouts/:reference/view',
      'GET /v1/payout-totals',
      'GET /v1/batches/:id/payouts',
      'GET /v1/batches/:id/summary',
      'GET /v1/batches/:id/progress',
      'GET /v1/batches/:id/report',
      'GET /v1/batches/:id/erp-files/:format',
      'GET /v1/payouts/:reference/approvals',
    ],
    ...['/v1', ''].map((base) => `GET ${base}/batches/:id/reports/:name`),
  ],
  'maker approver compliance operator, each': [
    'POST /payouts/:reference/recheck',
    'POST /v1/payouts/:reference/recheck',
  ],
  'maker, none': ['GET /batches/template'],
  'maker, each': [
    ...[
      'POST /v1/batches',
      'POST /v1/payouts',
      'POST /v1/batches/:id/retry',
      'POST /v1/moves/plan',
      'POST /v1/moves',
      'GET /v1/moves/:reference',
      'POST /v1/card-payments',
      'GET /batches/new',
      'POST /batches/new',
    ],
    ...['GET /batches/new/:upload', 'POST /batches/new/:upload'],
    ...['POST /batches/new/:upload/correct', 'GET /batches/new/:upload/copy'],
    ...['GET /batches/:id/retry', 'POST /batches/:id/retry'],
    ...['GET /moves/new', 'POST /moves/plan', 'POST /moves', 'GET /moves/:reference'],
  ],
  'maker operator, each': [
    ...['pause', 'drain', 'resume', 'cancel'].map((control) => `POST /v1/batches/:id/${control}`),
    ...['POST /v1/card-payments/:id/amount', 'POST /v1/card-payments/:id/cancel'],
    'POST /cards/:id/cancel',
    ...['POST /payouts/:reference/cancel', 'POST /batches/:id/control', 'POST /v1/payouts/:reference/cancel'],
  ],
  'maker operator, each, or a client secret': ['card', 'fingerprint', 'returned'].map(
    (name) => `POST /v1/card-payments/:id/${name}`,
  ),
  'maker, each, or a client secret': ['POST /v1/card-payments/:id/again'],
  'maker operator auditor, each': [
    'GET /v1/card-payments',
    'GET /v1/card-payments/:id/events',
    'GET /v1/card-payments/:id/retrieved',
    ...['GET /cards', 'GET /cards/:id'],
  ],
  'maker operator auditor, each, or a client secret': ['GET /v1/card-payments/:id'],
  'maker approver operator auditor, each': [
    ...['GET /v1/accounts', 'GET /v1/cash', 'GET /v1/beneficiaries', 'GET /v1/orders'],
    ...['GET /accounts', 'GET /cash', 'GET /orders', 'GET /payees', 'GET /payees/:uid/:payee'],
  ],
  'approver, each': [
    'GET /v1/batches/:id/plan',
    'POST /v1/batches/:id/decisions',
    'GET /batches/:id/decide',
    'POST /batches/:id/decide',
  ],
  'approver compliance, each': ['POST /payouts/:reference/decide', 'POST /v1/payouts/:reference/decisions'],
  'approver operator auditor, each': ['GET /v1/incidents', 'GET /incidents', 'GET /v1/switches', 'GET /switches'],
  'operator, each': [
    'GET /v1/incidents/:id',
    'POST /v1/incidents/:id/acknowledgement',
    'POST /v1/payouts/:reference/resolve',
    'POST /v1/card-payments/:id/resolve',
    'POST /payouts/:reference/resolve',
    'POST /incidents/:id',
    'POST /cards/:id/resolve',
    ...['POST /v1/statements', 'POST /v1/statements/orders', 'POST /v1/entries/:entry/match'],
    ...['POST /statements', 'POST /statements/entries/:entry'],
  ],
  'operator auditor, each': [
    ...['GET /v1/statements', 'GET /v1/discrepancies', 'GET /v1/discrepancies.csv'],
    ...['GET /v1/periods/:period', 'GET /v1/periods/:period/csv'],
    ...['GET /period', 'GET /period/csv', 'GET /period/json'],
    ...['GET /statements', 'GET /statements/differences.csv', 'GET /statements/differences.json'],
  ],
  'operator, none': ['GET /v1/switches/named', 'POST /v1/switches', 'POST /switches'],
  'operator, whole': [
    ...['POST /codec/encode', 'POST /codec/:namespace/encode'],
    ...['POST /v1/events/replay', 'POST /v1/events/forget', 'POST /subscriptions/replay', 'POST /subscriptions/forget'],
    ...['POST /v1/periods/:period/close', 'POST /period/close'],
  ],
  'operator auditor, whole': [
    'GET /period/documents/:digest',
    ...['GET /v1/periods', 'GET /v1/period-documents/:digest'],
    'POST /codec/decode',
    'POST /codec/:namespace/decode',
    'GET /v1/audit',
    'GET /v1/audit/export',
    'GET /v1/retention',
    'GET /v1/events',
    'GET /v1/events/subscriptions',
    ...['GET /audit', 'GET /subscriptions'],
  ],
};

const ROUTES = Object.entries(TABLE).flatMap(([whom, routes]) => {
  const [roles = '', scope = ''] = whom.split(', ');
  return routes.map((route) => {
    const [method = '', url = ''] = route.split(' ');
    return { route, method, url, roles: roles.split(' '), scope, isOpen: whom === 'open' };
  });
});

const whomOf = (access: RouteAccess): string =>
  access === 'open'
    ? access
    : [access.roles.join(' '), access.scope, ...('or' in access ? ['or a client secret'] : [])].join(', ');

const isOfProgram = (url: string): boolean => /^\/(v1|codec|docs|openapi)/.test(url);

/** People who have a passkey for the pages, and a token of their name for programs. */
async function opened(people: People) {
  const known = await pagePeople(people);
  const policy = {
    ...known.policy,
    people: known.policy.people.map((person) => ({
      ...person,
      tokens: [{ sha256: tokenSha256(person.name), expiresAt: Date.now() + 3_600_000 }],
    })),
  };
  const gateway = await openPages({ ...known, policy });
  const visits = new Map<string, Promise<Visit>>();
  const visitOf = (name: string): Promise<Visit> => {
    const visit = visits.get(name) ?? signedIn(known, name);
    visits.set(name, visit);
    return visit;
  };
  /** Asks as somebody, with a token or a session, whichever a route takes. */
  const ask = async (name: string | undefined, method: string, url: string, body?: string): Promise<Seen> => {
    if (isOfProgram(url)) {
      const headers: Record<string, string> = {
        ...(name !== undefined && { authorization: `Bearer ${name}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      return new Visit(known.origin).send(url, { method, headers, ...(body !== undefined && { body }) });
    }
    const visit = name === undefined ? new Visit(known.origin) : await visitOf(name);
    const headers = { accept: 'application/json', origin: known.origin, 'content-type': FORM };
    return visit.send(url, { method, headers, ...(body !== undefined && { body }) });
  };
  return { gateway, ask, visitOf };
}

const EVERY = ROLES.join(' ') as Roles;
const FORM = 'application/x-www-form-urlencoded';
const codeOf = ({ text }: Seen): string | undefined => /"code":"([^"]+)"/.exec(text)?.[1];
/** With something in the place of each parameter, which does not exist. */
const unknown = (url: string): string => url.replaceAll(/:\w+/g, 'none').replace('*', 'none');

describe('every route of the server', () => {
  it('is in the table, with the roles and the scope that it declares', async () => {
    const { gateway } = await opened({});
    const declared = gateway.routes.filter(({ method }) => method !== 'HEAD');
    const expected = Object.entries(TABLE).flatMap(([whom, routes]) => routes.map((route) => `${route}: ${whom}`));
    expect(declared.map(({ method, url, access }) => `${method} ${url}: ${whomOf(access)}`).sort()).toEqual(
      expected.sort(),
    );
    const heads = gateway.routes.filter(({ method }) => method === 'HEAD');
    for (const { url, access } of heads) {
      const got = declared.find((it) => it.method === 'GET' && it.url === url.replace(/(?<=docs)\/$/, ''));
      expect(whomOf(access), url).toBe(whomOf(got?.access ?? 'open'));
    }
  });

  it('is in the table too, or here, where a setting adds it', async () => {
    const { gateway } = await opened({});
    const { policy } = await pagePeople({});
    const more = await openGateway([], {
      policy,
      env: { PAYOUTS_MCP: 'read', PAYOUTS_OIDC_ISSUER: 'https://login.example.com', PAYOUTS_OIDC_CLIENT_ID: 'pages' },
    });
    const named = (routes: typeof gateway.routes): string[] =>
      routes
        .filter(({ method }) => method !== 'HEAD')
        .map(({ method, url, access }) => `${method} ${url}: ${whomOf(access)}`);
    const known = new Set(named(gateway.routes));
    expect(named(more.routes).filter((route) => !known.has(route))).toEqual([
      'POST /mcp: maker approver compliance operator auditor, each',
      'GET /sign-in/provider: open',
      'GET /sign-in/callback: open',
      'POST /sign-in/back-channel-logout: open',
    ]);
  });

  it('refuses every role that it is not for, and nobody else, before it reads anything', async () => {
    const { ask } = await opened(Object.fromEntries(ROLES.map((role) => [role, role])));
    const seen: string[] = [];
    const expected: string[] = [];
    for (const { route, method, url, roles, isOpen } of ROUTES) {
      for (const role of ROLES) {
        const answer = await ask(role, method, unknown(url));
        const isRefused = codeOf(answer) === 'role-missing' && answer.status === 403;
        seen.push(`${role} ${route}: ${isRefused ? 'refused' : 'let in'}`);
        expected.push(`${role} ${route}: ${isOpen || roles.includes(role) ? 'let in' : 'refused'}`);
        expect(answer.status, `${role} ${route}`).not.toBe(401);
      }
    }
    expect(seen).toEqual(expected);
    expect(seen.length).toBeGreaterThan(300);
  });

  it('lets nobody in without a token or session, nor with a wrong one, but where it is open', async () => {
    const { ask } = await opened({ alice: 'maker' });
    for (const { route, method, url, isOpen } of ROUTES) {
      const answer = await ask(undefined, method, unknown(url));
      // The description of the interface is for everybody on this machine.
      if (isOpen || /^\/(docs|openapi)/.test(url)) expect(codeOf(answer), route).not.toBe('token-refused');
      else expect([answer.status, codeOf(answer)], route).toEqual([401, expect.stringMatching(/token-refused|ended/)]);
    }
    expect((await ask('mallory', 'POST', '/v1/card-payments')).status).toBe(401);
    expect((await ask('mallory', 'GET', '/v1/card-payments/order-1')).status).toBe(401);
  });
});

describe('a scope', () => {
  /** Everybody may do everything, in yen: and there is nothing in yen. */
  const IN_YEN: Scope = { currencies: ['JPY'] };
  /** What any form of the pages is sent with. */
  const FIELDS = {
    ...{ control: 'pause', decision: 'approve', digest: 'd', remark: 'no', reason: 'no', action: 'close' },
    ...{ evidence: 'seen', by: 'yen', text: 'why?' },
  };

  /** What routes for programs are asked with besides what is in the path. */
  const QUERIES: Readonly<Record<string, string>> = {
    '/v1/find': '?id=INV-1',
    '/v1/waiting': '?id=batch-1&states=received',
    '/v1/batches/:id/plan': '?question=payout',
    '/v1/moves/:reference': '?kind=transfer&digest=none',
    '/moves/:reference': '?kind=transfer&digest=none',
  };
  const BODIES: Readonly<Record<string, object>> = {
    '/v1/card-payments/:id/amount': { amount: '9' },
    '/v1/card-payments/:id/resolve': { action: 'keep-looking', evidence: 'seen' },
    '/v1/payouts/:reference/decisions': { decision: 'approve' },
    '/v1/payouts/:reference/cancel': { reason: 'no' },
    '/v1/payouts/:reference/recheck': {},
    '/v1/payouts/:reference/resolve': { action: 'keep-looking', evidence: 'seen' },
    '/v1/batches/:id/decisions': { decision: 'approve' },
    '/v1/batches/:id/retry': {},
    '/v1/incidents/:id/acknowledgement': { reason: 'seen' },
    '/v1/entries/:entry/match': { reason: 'seen' },
  };
  /** What the bank shows of a user: a test of its own. */
  const isOfBank = (url: string): boolean => /^\/v1\/(accounts|cash|beneficiaries|orders)$/.test(url);
  const isOfOne = (url: string): boolean =>
    /:(id|reference|entry|payee|upload)/.test(url) || QUERIES[url] !== undefined;

  async function withOthers() {
    const world = await opened({ yen: [EVERY, IN_YEN], all: EVERY });
    const { store } = world.gateway.proxy;
    await store.claimBatch({ ...batchClaim('batch-1', ['INV-1'], Date.now()), by: 'owner' });
    await store.cards.claim(cardClaim('order-1', { by: 'owner', at: Date.now() }));
    await store.switchOff({ scope: 'currency', key: 'XAF', reason: 'bank holiday', by: 'owner', at: Date.now() });
    const [row] = await Array.fromAsync(store.rows('batch-1'));
    const reference = row?.reference ?? '';
    const { entry, upload } = await booksAndUpload(world);
    const named = (url: string): string =>
      url
        .replace(':reference', reference)
        .replace(':id', url.includes('card') ? 'order-1' : 'batch-1')
        .replace(':name', 'csv')
        .replace(':format', 'journal')
        .replace(':uid/:payee', 'u-1001/ben-u1001-usd-local')
        .replace(':entry', entry)
        .replace(':upload', upload)
        .replace(':period', '2026-03');
    const ofBooks = ['acc-u1001-usd', entry];
    return { ...world, named, others: ['batch-1', 'order-1', 'INV-1', reference, 'bank holiday', ...ofBooks] };
  }

  /** The books of an account that payouts are made from, a payee of it, and a file that somebody else is about to submit. */
  async function booksAndUpload({ gateway, ask, visitOf }: Awaited<ReturnType<typeof opened>>) {
    const { store } = gateway.proxy;
    const asked = { uid: 'u-1001', account_id: 'acc-u1001-usd', beneficiary_id: 'ben-u1001-usd-local' };
    const batch = { ...batchClaim('of-books', [], Date.now()), rows: [claimRow(1, 'BOOKS-1', asked)], by: 'owner' };
    await store.claimBatch(batch);
    const payee = { uid: asked.uid, payeeId: asked.beneficiary_id, country: 'US', digest: 'd', items: {} };
    const name = { name: 'Grace Hopper', asShown: 'x', inSmall: 'x' };
    await store.notePayee({ ...payee, name, seenAt: Date.now() });
    const headers = { authorization: 'Bearer all', 'content-type': 'application/octet-stream' };
    await gateway.send('/v1/statements?file=march.sta', { method: 'POST', body: UNEXPLAINED, headers });
    const { text } = await ask('all', 'GET', '/v1/discrepancies');
    const [, entry = ''] = /"entry":"([^"]+)"/.exec(text) ?? [];
    const upload = await submitFile(await visitOf('all'), 'march.csv', 'id,uid');
    return { entry, upload: `${upload.headers.location}`.split('/').at(-1) ?? '' };
  }

  it('holds for every route that compares what it is asked for: what is outside is not there', async () => {
    const { ask, visitOf, named } = await withOthers();
    const routes = ROUTES.filter(({ scope, url }) => scope === 'each' && isOfOne(url));
    const [, csrf = ''] = /name="_csrf" value="([^"]*)"/.exec((await (await visitOf('yen')).send('/')).text) ?? [];
    const form = new URLSearchParams({ ...FIELDS, _csrf: csrf }).toString();
    for (const { route, method, url } of routes) {
      const json = BODIES[url] === undefined ? undefined : JSON.stringify(BODIES[url]);
      const body = method === 'POST' && !isOfProgram(url) ? form : json;
      const answer = await ask('yen', method, named(url) + (QUERIES[url] ?? ''), body);
      expect([answer.status, codeOf(answer)], route).toEqual([404, 'unknown-id']);
    }
    expect(routes.length).toBeGreaterThan(25);
  });

  it('holds for every list', async () => {
    const { ask, named, others } = await withOthers();
    const lists = ROUTES.filter(
      ({ scope, method, url }) => scope === 'each' && method === 'GET' && !isOfOne(url) && !isOfBank(url),
    );
    const shown = new Set<string>();
    for (const { route, url } of lists) {
      const path = named(url) + ({ '/payouts': '?text=INV', '/period': '?of=2026-03' }[url] ?? '');
      const seen = async (name: string): Promise<string[]> => {
        const { status, text } = await ask(name, 'GET', path);
        expect(status, route).toBe(200);
        return others.filter((other) => text.includes(other));
      };
      expect(await seen('yen'), route).toEqual([]);
      for (const other of await seen('all')) shown.add(other);
    }
    expect(lists.map(({ url }) => url)).toContain('/v1/card-payments');
    expect([...shown].sort()).toEqual([...others].sort());
  });

  it('of any kind holds for what has no part that is within one', async () => {
    const { ask, named } = await withOthers();
    for (const { route, method, url } of ROUTES.filter(({ scope }) => scope === 'whole')) {
      const answer = await ask('yen', method, named(url));
      expect([answer.status, codeOf(answer)], route).toEqual([403, 'role-missing']);
    }
  });

  it('holds for what the bank shows', async () => {
    const { ask } = await opened({
      euro: ['auditor', { currencies: ['EUR'] }],
      own: ['auditor', { uids: ['u-1001'], accounts: ['acc-u1001-usd'] }],
      all: 'auditor',
    });
    const seen = async (name: string, path: string) => {
      const { status, text } = await ask(name, 'GET', path);
      const { accounts, beneficiaries } = JSON.parse(text) as Record<string, { currency: string }[] | undefined>;
      return [status, [...new Set((accounts ?? beneficiaries ?? []).map(({ currency }) => currency))].sort()];
    };
    expect(await seen('all', '/v1/accounts')).toEqual([200, expect.arrayContaining(['EUR', 'USD'])]);
    expect(await seen('euro', '/v1/accounts?uid=u-1001')).toEqual([200, ['EUR']]);
    expect(await seen('euro', '/v1/beneficiaries?uid=u-1001')).toEqual([200, ['EUR']]);
    expect(await seen('own', '/v1/accounts?uid=u-1001')).toEqual([200, ['USD']]);
    expect(await seen('euro', '/v1/cash?uid=u-1001')).toEqual([200, ['EUR']]);
    for (const [name, path] of [
      ['euro', '/v1/accounts'],
      ['euro', '/v1/orders?uid=u-1001&currency=USD'],
      ['own', '/v1/accounts?uid=u-1002'],
      ['own', '/v1/beneficiaries?uid=u-1002'],
      ['own', '/v1/orders?uid=u-1002&currency=USD'],
    ] as const) {
      const answer = await ask(name, 'GET', path);
      expect([answer.status, codeOf(answer)], path).toEqual([403, 'outside-scope']);
    }
  });

  it.each<[Scope, number]>([
    [IN_YEN, 403],
    [{ kinds: ['payout'] }, 403],
    [{ uids: ['u-1001'] }, 403],
    [{ accounts: ['acc-u1001-eur'] }, 403],
    [{ currencies: ['EUR'] }, 202],
    [{}, 202],
  ])('of a maker holds card payments as it should: %j', async (scope, status) => {
    const { ask, gateway } = await opened({ anna: ['maker', scope] });
    const asked = { merchant_request_id: 'o-1', amount: '4.90', currency: 'EUR', return_url: 'http://127.0.0.1:9/b' };
    const json = { authorization: 'Bearer anna', 'content-type': 'application/json' };
    const request = { method: 'POST', headers: json, body: JSON.stringify(asked) };
    const answer = await gateway.send('/v1/card-payments', request);
    expect([answer.status, answer.document.error?.code]).toEqual([
      status,
      status === 403 ? 'outside-scope' : undefined,
    ]);
    expect(await gateway.proxy.store.cards.list(9)).toHaveLength(status === 202 ? 1 : 0);
    expect((await ask('anna', 'GET', '/v1/card-payments')).status).toBe(200);
  });
});

it('a route that does not say whom it is for cannot be added', async () => {
  const app = fastify();
  guardRoutes(app);
  expect(() => app.get('/new', async () => 'of everybody')).toThrow('GET /new does not say who may use it');
  await app.close();
});

it('the store is not asked about a card payment before its caller is known', async () => {
  const { gateway } = await opened({ anna: 'maker', bob: 'approver' });
  const { store } = gateway.proxy;
  await store.cards.claim(cardClaim('order-1', { by: 'anna', at: 1 }));
  const { get } = store.cards;
  const asked: string[] = [];
  store.cards.get = (id) => {
    asked.push(id);
    return get(id);
  };
  const statusOf = async (bearer: string | undefined) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    return (await gateway.send('/v1/card-payments/order-1', { headers })).status;
  };
  expect([await statusOf(undefined), await statusOf('no-secret'), await statusOf('bob')]).toEqual([401, 401, 403]);
  expect(asked).toEqual([]);
  expect([await statusOf('anna'), await statusOf('x'.repeat(43))]).toEqual([200, 401]);
  expect(asked).toEqual(['order-1', 'order-1']);
});
