import { describe, expect, it } from 'vitest';
import { checkSignIn } from '../../../src/cli/doctor.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import { openGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { newSigningKey, openProvider, ProviderVisit, type TestProvider } from './openid-provider.ts';
import { type PagePeople, pagePeople, type Seen, Visit } from './visiting.ts';

const MINUTE_MS = 60_000;
const NOW_S = () => Math.floor(Date.now() / 1_000);
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const RECHECK_MS = 30 * MINUTE_MS;

/** Alice has no passkey; mallory has an account at the provider only. */
async function open(env: Record<string, string> = {}, options?: Parameters<typeof openProvider>[1]) {
  const people = await pagePeople({ alice: 'maker approver', bob: 'approver auditor', carol: 'maker' });
  const { policy, port, origin } = people;
  const [alice = {}, bob = {}] = policy.people;
  const names = env.PAYOUTS_OIDC_CLAIM === 'email' ? ['alice@example.com', 'bob@example.com'] : ['0a1b', '0b2c'];
  Object.assign(alice, { identities: [names[0]], credentials: [] });
  Object.assign(bob, { identities: [names[1]] });
  const provider = await openProvider({ origin }, options);
  for (const [sub, name] of Object.entries({ '0a1b': 'alice', '0b2c': 'bob', '0c3d': 'mallory' })) {
    provider.accounts.set(sub, { email: `${name}@example.com`, email_verified: true });
  }
  const { issuer: PAYOUTS_OIDC_ISSUER, clientId: PAYOUTS_OIDC_CLIENT_ID } = provider;
  const PAYOUTS_OIDC_CLIENT_SECRET = provider.clientSecret;
  const all = { PAYOUTS_OIDC_ISSUER, PAYOUTS_OIDC_CLIENT_ID, PAYOUTS_OIDC_CLIENT_SECRET, ...env };
  const gateway = await openGateway([], { policy, port, env: all });
  const clock = { now: Date.now() };
  Object.assign(gateway.app, { now: () => clock.now });
  return { ...people, env: all, gateway, provider, clock, visit: () => new ProviderVisit(origin, provider) };
}

type Opened = Awaited<ReturnType<typeof open>>;

const leave = ({ policy }: PagePeople, name: string): void =>
  void Object.assign(policy, { people: policy.people.filter((person) => person.name !== name) });

/** `alice signed in`, with why it was refused or ended. */
async function audited({ gateway }: Opened): Promise<string[]> {
  const entries = await gateway.proxy.store.auditEntriesOf('pages');
  return entries.map(({ actor, action, detail }) =>
    [actor, action, ...(detail.why ? [`(${detail.why})`] : [])].join(' '),
  );
}

/** What the page says of a refusal. */
const whyOf = ({ status, text }: Seen): string =>
  `${status}: ${/role="alert">([^<]*)</.exec(text)?.[1] ?? 'no reason is shown'}`;

const isIn = async ({ pages }: ProviderVisit): Promise<boolean> => (await pages.send('/')).status === 200;

describe('signing in through the provider', () => {
  it('opens a session for a person whose account the policy names, and the audit says so', async () => {
    const opened = await open();
    const alice = opened.visit();
    const answer = await alice.signIn('0a1b', '/batches');
    expect(answer, answer.text).toMatchObject({ status: 200, headers: { refresh: '0; url=/batches' } });
    expect(answer.text).toContain('You are signed in as alice');
    const page = await alice.pages.send('/batches');
    expect(page.text).toContain('<span>alice</span>');
    expect(await audited(opened)).toEqual(['alice signed in']);
    const cookies = alice.pages.cookiesSet.filter((cookie) => cookie.startsWith('payouts-s'));
    const [begun, dropped, session] = cookies;
    expect(begun).toMatch(/^payouts-sign-in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(dropped).toMatch(/^payouts-sign-in=; /);
    expect(session).toMatch(/^payouts-session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('asks for a code with PKCE, state and nonce, each another one every time', async () => {
    const { origin, provider } = await open();
    const asked = async () => {
      const { headers } = await new Visit(origin).send('/sign-in/provider');
      return new URL(`${headers.location}`);
    };
    const [first, second] = [await asked(), await asked()];
    expect(first.origin).toBe(provider.issuer);
    const parameters = Object.fromEntries(first.searchParams);
    expect(parameters).toMatchObject({
      response_type: 'code',
      scope: 'openid',
      code_challenge_method: 'S256',
      redirect_uri: `${origin}/sign-in/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(parameters[name]).toMatch(/^[\w-]{43}$/);
      expect(second.searchParams.get(name)).not.toBe(parameters[name]);
    }
  });

  it.each(['https://evil.example/', '//evil.example', '/..//evil.example', 'batches'])(
    'leads to no %s',
    async (next) => {
      const { visit } = await open();
      expect((await visit().signIn('0a1b', next)).headers.refresh).toBe('0; url=/');
    },
  );

  it('refuses an account that the policy does not name, and shows its owner how the provider calls it', async () => {
    const opened = await open();
    const mallory = opened.visit();
    const answer = await mallory.signIn('0c3d');
    expect(whyOf(answer)).toBe('401: Not signed in: this account belongs to nobody in the policy.');
    expect(answer.text).toContain('The provider knows you as <code>0c3d</code>');
    expect(await isIn(mallory)).toBe(false);
    await opened.gateway.close();
    expect(await audited(opened)).toEqual(['unknown sign-in refused (this account belongs to nobody in the policy)']);
  });

  it('reads the keys of the provider anew, and knows no others', async () => {
    const { visit, provider } = await open();
    expect((await visit().signIn('0a1b')).status).toBe(200);
    provider.rotate();
    expect((await visit().signIn('0a1b')).status).toBe(200);
    provider.forgeWith = newSigningKey();
    expect(whyOf(await visit().signIn('0a1b'))).toBe(
      '401: Not signed in: the answer of the provider could not be verified.',
    );
  });

  it.each<[what: string, lie: TestProvider['lie'], why: string]>([
    ['the nonce of another sign-in', (claims) => ({ ...claims, nonce: 'of-another' }), 'is not for this sign-in'],
    ['no nonce', ({ nonce: _, ...claims }) => claims, 'could not be verified'],
    ['another audience', (claims) => ({ ...claims, aud: 'another-client' }), 'is not for this sign-in'],
    ['a second audience', (claims) => ({ ...claims, aud: [claims.aud, 'another'] }), 'is not for this sign-in'],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' }), 'is not for this sign-in'],
    ['an old token', (claims) => ({ ...claims, iat: NOW_S() - 700, exp: NOW_S() - 100 }), 'has expired'],
    ['a token of the future', (claims) => ({ ...claims, nbf: NOW_S() + 600 }), 'is not valid yet'],
    ['no end', ({ exp: _, ...claims }) => claims, 'could not be verified'],
  ])('refuses %s', async (_, lie, why) => {
    const opened = await open();
    opened.provider.lie = lie;
    const visit = opened.visit();
    const answer = whyOf(await visit.signIn('0a1b'));
    expect(answer).toMatch(/^401: Not signed in: /);
    expect(answer).toContain(why);
    expect(await isIn(visit)).toBe(false);
    await opened.gateway.close();
    expect(await audited(opened)).toEqual([expect.stringMatching(/^unknown sign-in refused/)]);
    expect(opened.gateway.log.join()).not.toMatch(/alice@|eyJ/);
  });

  it('takes an answer once, and only from the browser that has begun', async () => {
    const { visit, origin } = await open();
    const alice = visit();
    const back = await alice.logIn('0a1b');
    const other = new Visit(origin);
    const STALE = '401: Not signed in: it took too long, or was sent twice.';
    expect(whyOf(await other.send(back))).toBe(STALE);
    const { cookies } = alice.pages;
    expect((await alice.pages.send(back)).status).toBe(200);
    expect(whyOf(await other.send(back, { headers: { cookie: cookies } }))).toBe(STALE);
  });

  it.each<[what: string, change: (back: URL) => void]>([
    ['the state', (back) => back.searchParams.set('state', 'of-another')],
    ['the code', (back) => back.searchParams.set('code', 'of-another')],
    ['the issuer', (back) => back.searchParams.set('iss', 'https://evil.example')],
    ['no state', (back) => back.searchParams.delete('state')],
  ])('refuses an answer in which %s was changed', async (_, change) => {
    const { visit } = await open();
    const alice = visit();
    const back = new URL(await alice.logIn('0a1b'));
    change(back);
    expect((await alice.pages.send(back.href)).status).toBe(401);
    expect(await isIn(alice)).toBe(false);
  });

  it('refuses an answer after ten minutes, and one that somebody else has asked for', async () => {
    const { visit, clock } = await open();
    const late = visit();
    const back = await late.logIn('0a1b');
    clock.now += 10 * MINUTE_MS;
    expect((await late.pages.send(back)).status).toBe(401);
    const [alice, mallory] = [visit(), visit()];
    await alice.pages.send('/sign-in/provider');
    // The code of mallory in the browser of alice, who would then work as mallory.
    expect((await alice.pages.send(await mallory.logIn('0b2c'))).status).toBe(401);
  });

  it('says that people refuse at the provider, and repeats nothing that it was sent', async () => {
    const { visit } = await open();
    const alice = visit();
    const back = new URL(await alice.logIn('0a1b'));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('error_description', '<b>call 555-0100</b>');
    const answer = await alice.pages.send(back.href);
    expect(whyOf(answer)).toBe('401: Not signed in: the provider refused (access_denied).');
    expect(answer.text).not.toContain('555-0100');
  });

  it('slows down those who guess', async () => {
    const { origin } = await open();
    const visit = new Visit(origin);
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) statuses.add((await visit.send('/sign-in/callback?code=x&state=y')).status);
    expect([...statuses]).toEqual([401, 429]);
  });
});

describe('claims', () => {
  const BY_MAIL = { PAYOUTS_OIDC_CLAIM: 'email', PAYOUTS_OIDC_SCOPES: 'openid email' };
  const BY_ROLES = { PAYOUTS_OIDC_ROLES_CLAIM: 'roles', PAYOUTS_OIDC_SCOPES: 'openid roles' };

  it('name a person by an address that the provider has verified', async () => {
    const { visit, provider } = await open(BY_MAIL);
    expect((await visit().signIn('0a1b')).text).toContain('You are signed in as alice');
    // Somebody has written the address of alice into an account of their own.
    provider.accounts.set('0c3d', { email: 'alice@example.com', email_verified: false });
    expect(whyOf(await visit().signIn('0c3d'))).toContain('the provider has not verified your address');
    provider.accounts.set('0c3d', {});
    expect(whyOf(await visit().signIn('0c3d'))).toContain('the provider does not show your email');
  });

  it('of roles take away, and never add', async () => {
    const { visit, provider } = await open(BY_ROLES);
    const bob = visit();
    provider.accounts.set('0b2c', { roles: ['auditor', 'operator', 'maker'] });
    expect((await bob.signIn('0b2c')).status).toBe(200);
    const seen = async (path: string) => (await bob.pages.send(path)).status;
    expect(await seen('/audit')).toBe(200);
    expect(await seen('/batches/new')).toBe(403);
    expect((await bob.pages.submit('/', '/sign-out', {})).status).toBe(200);
    for (const roles of [['operator'], [], undefined]) {
      provider.accounts.set('0b2c', { roles });
      expect(whyOf(await bob.signIn('0b2c'))).toContain('gives you none of your roles in the policy');
    }
  });

  it('of groups let read who is not named, and nothing else', async () => {
    const opened = await open({ PAYOUTS_OIDC_GROUPS_CLAIM: 'groups', PAYOUTS_OIDC_SCOPES: 'openid groups' });
    const { visit, provider, clock, policy, gateway } = opened;
    Object.assign(policy, { readers: [{ group: 'treasury', scope: { currencies: ['USD'] } }] });
    const rows = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], 'carol');
    const [row] = rows;
    const mallory = visit();
    provider.accounts.set('0c3d', { groups: ['approver', 'maker', 'alice'] });
    expect(whyOf(await mallory.signIn('0c3d'))).toContain('belongs to nobody in the policy');
    provider.accounts.set('0c3d', { groups: ['staff', 'treasury'] });
    expect((await mallory.signIn('0c3d')).text).toContain('You are signed in as treasury/0c3d');
    const page = await mallory.pages.send(`/payouts/${row?.reference}`);
    expect(page.text).toContain('2,450.00 USD');
    expect(page.text).not.toContain('/decide"');
    expect((await mallory.pages.send('/batches/new')).status).toBe(403);
    // A person of the policy has the roles that it gives, in whatever groups they are.
    provider.accounts.set('0a1b', { groups: ['treasury'] });
    const alice = visit();
    expect((await alice.signIn('0a1b')).text).toContain('You are signed in as alice');
    expect((await alice.pages.send('/incidents')).status).toBe(200);
    expect((await alice.pages.send('/statements')).status).toBe(403);
    // Out of the group, and out: at the next question to the provider, or as soon as the policy has no such readers.
    const other = visit();
    await other.signIn('0c3d');
    provider.accounts.set('0c3d', { groups: ['staff'] });
    clock.now += RECHECK_MS / 2;
    expect(await isIn(mallory)).toBe(false);
    provider.accounts.set('0c3d', { groups: ['treasury'] });
    expect(await isIn(other)).toBe(true);
    Object.assign(policy, { readers: [] });
    expect(await isIn(other)).toBe(false);
  });

  it('of groups count for nothing without their setting', async () => {
    const { visit, provider, policy } = await open({ PAYOUTS_OIDC_SCOPES: 'openid groups' });
    Object.assign(policy, { readers: [{ group: 'treasury', scope: {} }] });
    provider.accounts.set('0c3d', { groups: ['treasury'] });
    expect(whyOf(await visit().signIn('0c3d'))).toContain('belongs to nobody in the policy');
  });

  it('of roles count as they are when the provider is asked again', async () => {
    const { visit, provider, clock } = await open(BY_ROLES);
    const bob = visit();
    provider.accounts.set('0b2c', { roles: ['auditor', 'approver'] });
    await bob.signIn('0b2c');
    provider.accounts.set('0b2c', { roles: ['approver'] });
    expect((await bob.pages.send('/audit')).status).toBe(200);
    clock.now += RECHECK_MS / 2;
    expect((await bob.pages.send('/audit')).status).toBe(403);
    expect((await bob.pages.send('/')).status).toBe(200);
  });
});

describe('who is signed in', () => {
  it('reads without a passkey, and decides nothing', async () => {
    const { visit, gateway } = await open();
    const [row] = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], 'carol');
    const digest = await asking(gateway, row ?? ({} as never));
    const alice = visit();
    await alice.signIn('0a1b');
    const path = `/payouts/${row?.reference}`;
    const page = await alice.pages.send(path);
    expect(page.text).toContain('2,450.00 USD');
    expect(page.text).toContain('To decide here you need a passkey');
    expect(page.text).not.toContain(`action="${path}/decide"`);
    const [, csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(page.text) ?? [];
    const decide = (signed: Record<string, string>) =>
      alice.pages.send(`${path}/decide`, {
        method: 'POST',
        body: new URLSearchParams({ _csrf: csrf, digest, decision: 'approve', ...signed }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      });
    for (const signed of ['', JSON.stringify(softwarePasskey().assert('x', { origin: 'http://localhost' }))]) {
      const answer = await decide({ signed });
      expect(answer, answer.text).toMatchObject({ status: 400 });
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'no-passkey' });
    }
    expect(gateway.decisions).toEqual([]);
  });

  it('decides with the passkey that the policy has, as after signing in with it', async () => {
    const { visit, gateway, passkeys } = await open();
    const [row] = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], 'alice');
    await asking(gateway, row ?? ({} as never));
    const bob = visit();
    await bob.signIn('0b2c');
    const path = `/payouts/${row?.reference}`;
    const passkey = passkeys.bob ?? softwarePasskey();
    const answer = await bob.pages.sign(path, `${path}/decide`, { decision: 'approve', remark: '' }, passkey);
    expect(answer.status, answer.text).toBe(303);
    expect(gateway.decisions).toMatchObject([{ by: 'bob', decision: 'approve' }]);
  });

  it('is out at once when the policy no longer has the person, or the account', async () => {
    const opened = await open();
    const [alice, bob] = [opened.visit(), opened.visit()];
    await alice.signIn('0a1b');
    await bob.signIn('0b2c');
    leave(opened, 'alice');
    expect(await isIn(alice)).toBe(false);
    expect(await isIn(bob)).toBe(true);
    Object.assign(opened.policy.people[0] ?? {}, { identities: ['another'] });
    expect(await isIn(bob)).toBe(false);
  });

  it('is out within the time that is set when the provider no longer has the account', async () => {
    const opened = await open();
    const { visit, provider, clock } = opened;
    const [alice, bob] = [visit(), visit()];
    await alice.signIn('0a1b');
    await bob.signIn('0b2c');
    provider.accounts.delete('0a1b');
    clock.now += RECHECK_MS / 2;
    expect(await isIn(alice)).toBe(false);
    expect(await isIn(bob)).toBe(true);
    expect(await audited(opened)).toEqual([
      'alice signed in',
      'bob signed in',
      'alice signed out (the provider no longer knows this sign-in)',
    ]);
    // The word of the provider was renewed: the session of bob goes on.
    clock.now += RECHECK_MS - MINUTE_MS;
    expect(await isIn(bob)).toBe(true);
  });

  it('is out where the provider refuses its token in words of its own, as Dex does', async () => {
    const opened = await open();
    const { visit, provider, clock } = opened;
    const alice = visit();
    await alice.signIn('0a1b');
    provider.refusal = { status: 400, error: 'invalid_request' };
    clock.now += RECHECK_MS / 2;
    expect(await isIn(alice)).toBe(false);
    expect((await audited(opened)).at(-1)).toBe('alice signed out (the provider refused (invalid_request))');
    expect(whyOf(await visit().signIn('0a1b'))).toBe('401: Not signed in: the provider refused (invalid_request).');
  });

  it('stays while the provider is down for a moment, and is out once its word has grown old', async () => {
    const opened = await open();
    const { visit, provider, clock } = opened;
    const alice = visit();
    await alice.signIn('0a1b');
    await provider.down();
    clock.now += RECHECK_MS / 2;
    expect(await isIn(alice)).toBe(true);
    await provider.up();
    clock.now += MINUTE_MS;
    expect(await isIn(alice)).toBe(true);
    await provider.down();
    clock.now += RECHECK_MS - MINUTE_MS;
    expect(await isIn(alice)).toBe(true);
    clock.now += 2 * MINUTE_MS;
    expect(await isIn(alice)).toBe(false);
    await provider.up();
    expect(await isIn(alice)).toBe(false);
    expect((await audited(opened)).at(-1)).toBe('alice signed out (the provider did not answer in time)');
  });

  it('is out after that time where the provider gives no refresh token', async () => {
    const opened = await open({ PAYOUTS_OIDC_RECHECK: '10m' }, { refreshes: false });
    const alice = opened.visit();
    await alice.signIn('0a1b');
    opened.clock.now += 10 * MINUTE_MS;
    expect(await isIn(alice)).toBe(true);
    opened.clock.now += 1;
    expect(await isIn(alice)).toBe(false);
    expect((await audited(opened)).at(-1)).toBe('alice signed out (the word of the provider has grown old)');
  });

  it('is not taken for somebody else when the provider is asked again', async () => {
    const { visit, provider, clock } = await open();
    const alice = visit();
    await alice.signIn('0a1b');
    provider.lie = (claims) => ({ ...claims, sub: '0b2c' });
    clock.now += RECHECK_MS / 2;
    expect(await isIn(alice)).toBe(false);
  });

  it('is out after the idle time and the length that are set', async () => {
    const { visit, clock } = await open({ PAYOUTS_SESSION_IDLE: '5m', PAYOUTS_SESSION_LENGTH: '8m' });
    const [idle, busy] = [visit(), visit()];
    await idle.signIn('0a1b');
    await busy.signIn('0b2c');
    clock.now += 5 * MINUTE_MS;
    expect(await isIn(busy)).toBe(true);
    clock.now += 1;
    expect(await isIn(idle)).toBe(false);
    expect(await isIn(busy)).toBe(true);
    clock.now += 3 * MINUTE_MS;
    expect(await isIn(busy)).toBe(false);
  });

  it('signs out at the provider too, and comes back to the sign-in page', async () => {
    const opened = await open();
    const { visit, origin, provider } = opened;
    const alice = visit();
    await alice.signIn('0a1b');
    const out = await alice.pages.submit('/', '/sign-out', {});
    expect(out.status).toBe(200);
    expect(out.text).not.toContain('<nav');
    expect(await isIn(alice)).toBe(false);
    const [, to = ''] = /^0; url=(.*)$/.exec(`${out.headers.refresh}`) ?? [];
    expect(new URL(to).origin).toBe(provider.issuer);
    const left = await alice.leave(to);
    expect(left.headers.location).toMatch(new RegExp(`^${origin}/sign-in(\\?|$)`));
    expect(await audited(opened)).toEqual(['alice signed in', 'alice signed out']);
    // The provider asks who it is again.
    await alice.signIn('0b2c');
    expect((await alice.pages.send('/')).text).toContain('<span>bob</span>');
  });
});

describe('who signs out at the provider', () => {
  /** As the provider posts a logout token. */
  const post = async (origin: string, token: string) => {
    const body = new URLSearchParams({ logout_token: token }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: '' };
    return new Visit(origin).send('/sign-in/back-channel-logout', { method: 'POST', body, headers });
  };

  it.each([true, false])('is out here at once, and nobody else (the provider names its sessions: %s)', async (it) => {
    const opened = await open({}, { namesSessions: it });
    const [alice, elsewhere, bob] = [opened.visit(), opened.visit(), opened.visit()];
    await alice.signIn('0a1b');
    await elsewhere.signIn('0a1b');
    await bob.signIn('0b2c');
    await alice.leave();
    expect(await isIn(alice)).toBe(false);
    // One session of hers, if the provider says which.
    expect(await isIn(elsewhere)).toBe(it);
    expect(await isIn(bob)).toBe(true);
    const [, , , ...left] = await audited(opened);
    expect(left).toEqual(new Array(it ? 1 : 2).fill('alice signed out (signed out at the provider)'));
  });

  it('is out at a gateway that was not notified, which reads it in the store', async () => {
    const { policy, provider, visit, origin, gateway, env } = await open();
    const other = await openGateway([], { policy, env });
    Object.assign(other.app, { store: gateway.app.store });
    const alice = visit();
    const back = await alice.logIn('0a1b');
    // Begun and ended there, behind the address of both.
    const there = new Visit(other.url, origin);
    const begun = await there.send('/sign-in/provider');
    expect(begun.status).toBe(303);
    await alice.provider.send(back);
    const led = await alice.provider.send(`${begun.headers.location}`);
    expect(
      (await there.send(new URL(`${led.headers.location}`).pathname + new URL(`${led.headers.location}`).search))
        .status,
    ).toBe(200);
    expect((await there.send('/')).status).toBe(200);
    expect((await post(origin, provider.logoutToken('0a1b'))).status).toBe(200);
    expect((await there.send('/')).status).toBe(303);
  });

  it('watches a batch no longer', async () => {
    const { visit, provider, origin, gateway } = await open();
    const [row] = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], 'carol');
    const bob = visit();
    await bob.signIn('0b2c');
    const watched = bob.pages.send(`/batches/${row?.batchId}/live`);
    await expect.poll(() => isIn(bob)).toBe(true);
    await post(origin, provider.logoutToken('0b2c'));
    expect((await watched).text).toContain('event: changed');
  });

  it('signs in again, and stays', async () => {
    const { visit, provider, origin } = await open();
    expect((await post(origin, provider.logoutToken('0a1b', { iat: NOW_S() - 2 }))).status).toBe(200);
    const alice = visit();
    await alice.signIn('0a1b');
    expect(await isIn(alice)).toBe(true);
  });

  it('is believed with a key that the provider has had for a moment only', async () => {
    const { visit, provider, origin } = await open();
    expect((await post(origin, provider.logoutToken('0b2c'))).status).toBe(200);
    const alice = visit();
    await alice.signIn('0a1b');
    provider.rotate();
    await expect.poll(async () => (await post(origin, provider.logoutToken('0a1b'))).status).toBe(200);
    expect(await isIn(alice)).toBe(false);
  });

  const OTHER = newSigningKey();

  it.each<[what: string, claims: Record<string, unknown>, why: string, key?: typeof OTHER]>([
    ['of another key', {}, 'has a key that is not one of its own', OTHER],
    ['of another issuer', { iss: 'https://evil.example' }, 'is not for us'],
    ['for another client', { aud: 'another-client' }, 'is not for us'],
    ['without the event', { events: undefined }, 'is not for us, or lacks a claim'],
    ['about another event', { events: { 'https://evil.example': {} } }, 'is not about a sign-out'],
    ['with an event that is no object', { events: { [EVENT]: true } }, 'is not about a sign-out'],
    ['with a nonce, as an ID token has one', { nonce: 'n' }, 'has a nonce'],
    ['without an id', { jti: undefined }, 'lacks a claim'],
    ['about nobody', { sub: undefined }, 'names nobody'],
    ['that is old', { iat: NOW_S() - 700, exp: NOW_S() + 100 }, 'has expired'],
    ['that has ended', { exp: NOW_S() - 100 }, 'has expired'],
    ['without an end', { exp: undefined }, 'lacks a claim'],
    ['without a time', { iat: undefined }, 'lacks a claim'],
    ['of the future', { iat: NOW_S() + 600, exp: NOW_S() + 700 }, ''],
  ])('is not out by a token %s', async (_, claims, why, key) => {
    const opened = await open();
    const { visit, provider, origin, gateway } = opened;
    const alice = visit();
    await alice.signIn('0a1b');
    const { status, text, headers } = await post(origin, provider.logoutToken('0a1b', claims, key));
    expect([status, headers['cache-control']]).toEqual([400, 'no-store']);
    expect(JSON.parse(text)).toEqual({ error: 'invalid_request', error_description: expect.stringContaining(why) });
    expect(await isIn(alice)).toBe(true);
    await gateway.close();
    expect(await audited(opened)).toEqual(['alice signed in', expect.stringMatching(/^unknown sign-out refused \(/)]);
    expect(gateway.log.join()).not.toContain('eyJ');
  });

  it('is not out by a token of another session, one that was sent before, unsigned text or nothing', async () => {
    const { visit, provider, origin } = await open();
    const alice = visit();
    expect((await post(origin, provider.logoutToken('0a1b', { sid: 'of-another' }))).status).toBe(200);
    const token = provider.logoutToken('0a1b');
    expect((await post(origin, token)).status).toBe(200);
    await new Promise((done) => setTimeout(done, 1_000));
    await alice.signIn('0a1b');
    const [head = '', body = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const sent of [token, `${none}.${body}.`, `${head}.${body}.`, 'x', '']) {
      expect((await post(origin, sent)).status).toBe(400);
    }
    expect((await new Visit(origin).send('/sign-in/back-channel-logout', { method: 'POST' })).status).toBe(400);
    expect(await isIn(alice)).toBe(true);
  });

  it('is notified of with another answer while the keys cannot be read, and the log says why', async () => {
    const { provider, origin, gateway } = await open();
    const token = provider.logoutToken('0a1b');
    await provider.down();
    expect((await post(origin, token)).status).toBe(503);
    expect(gateway.log.join()).toContain('a sign-out at the provider could not be verified');
    await provider.up();
    expect((await post(origin, token)).status).toBe(200);
  });

  it('is out at the gateway that was notified, though its store does not answer', async () => {
    const { visit, provider, origin, gateway } = await open();
    const alice = visit();
    await alice.signIn('0a1b');
    const { store } = gateway.app;
    const { recordSignOut } = store;
    store.recordSignOut = () => Promise.reject(new Error('the store does not answer'));
    const token = provider.logoutToken('0a1b');
    expect((await post(origin, token)).status).toBe(503);
    expect(await isIn(alice)).toBe(false);
    store.recordSignOut = recordSignOut;
    expect((await post(origin, token)).status).toBe(200);
  });

  it('is not found out by guessing: forged tokens are slowed down, and cost the provider little', async () => {
    const { provider, origin } = await open();
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) statuses.add((await post(origin, provider.logoutToken('0a1b', {}, OTHER))).status);
    expect([...statuses]).toEqual([400, 429]);
    expect(provider.requests.filter((it) => it === 'GET /jwks').length).toBeLessThan(10);
    expect((await post(origin, provider.logoutToken('0a1b'))).status).toBe(200);
  });
});

describe('a provider that cannot be used', () => {
  it('leaves the passkey, and the log says what to mend', async () => {
    const opened = await open({ PAYOUTS_OIDC_CLIENT_SECRET: 'a-secret-that-the-provider-does-not-know' });
    const { visit, gateway, origin, passkeys } = opened;
    const answer = await visit().signIn('0a1b');
    expect(whyOf(answer)).toBe('503: Not signed in: the sign-in provider cannot be used at the moment.');
    expect(gateway.log.join()).toContain('Check PAYOUTS_OIDC_CLIENT_ID and PAYOUTS_OIDC_CLIENT_SECRET');
    expect((await new Visit(origin).signIn(passkeys.bob ?? softwarePasskey())).status).toBe(303);
  });

  // As Keycloak names a wrong secret, and any of them what is wrong with itself.
  it.each([
    [401, 'unauthorized_client', 'Check PAYOUTS_OIDC_CLIENT_ID and PAYOUTS_OIDC_CLIENT_SECRET'],
    [503, 'temporarily_unavailable', 'reports an error of its own'],
  ])('is one that answers with %i and %s', async (status, error, remedy) => {
    const { visit, gateway, provider } = await open();
    provider.refusal = { status, error };
    expect((await visit().signIn('0a1b')).status).toBe(503);
    expect(gateway.log.join()).toContain(remedy);
  });

  it('is one that does not answer', async () => {
    const { provider, visit, gateway } = await open();
    await provider.down();
    expect((await visit().pages.send('/sign-in/provider')).status).toBe(503);
    expect(gateway.log.join()).toContain('nothing listens there');
  });

  it('is one that calls itself by another name', async () => {
    const { provider } = await open();
    const elsewhere = provider.issuer.replace('localhost', '127.0.0.1');
    const { visit, gateway } = await open({ PAYOUTS_OIDC_ISSUER: elsewhere });
    expect((await visit().pages.send('/sign-in/provider')).status).toBe(503);
    expect(gateway.log.join()).toContain('PAYOUTS_OIDC_ISSUER: is not what the provider there calls itself');
  });
});

it('payouts doctor says whether the provider answers, what it has to know, and what to mend', async () => {
  const { gateway, provider, origin } = await open();
  const asked = () => checkSignIn({ ...gateway.app.config, settings: gateway.app.settings });
  const back = `${origin}/sign-in/callback and, after signing out, ${origin}/sign-in, and to post logout tokens to ${origin}/sign-in/back-channel-logout`;
  expect(await asked()).toEqual([
    { name: 'sign-in', verdict: 'ok', detail: `${provider.issuer} answers with 1 key; it has to lead back to ${back}` },
  ]);
  await provider.down();
  const [failed] = await asked();
  expect(failed).toMatchObject({ verdict: 'failed' });
  expect(failed?.detail).toContain('nothing listens there');
  expect(failed?.detail).toContain('correct host and port in PAYOUTS_OIDC_ISSUER');
});

it('needs a policy that names the people and the address of the pages', async () => {
  const env = { PAYOUTS_OIDC_ISSUER: 'https://login.example.com', PAYOUTS_OIDC_CLIENT_ID: 'payouts' };
  await expect(openGateway([], { env })).rejects.toMatchObject({ key: 'PAYOUTS_OIDC_ISSUER' });
});
