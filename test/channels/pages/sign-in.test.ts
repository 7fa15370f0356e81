import { describe, expect, it } from 'vitest';
import { ownPath } from '../../../src/channels/pages/sign-in-page.ts';
import { policyOf } from '../../support/people.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import { openGateway } from '../http/running-gateway.ts';
import { openPages, openPagesOf, pagePeople, signedIn, Visit } from './visiting.ts';

const PEOPLE = { alice: 'maker', bob: 'approver' } as const;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function open() {
  return openPagesOf(PEOPLE);
}

describe('signing in', () => {
  it('opens a session for a person with a passkey of the policy, and the audit says so', async () => {
    const { people, gateway } = await open();
    const visit = new Visit(people.origin);
    const asked = await visit.send('/batches');
    expect(asked).toMatchObject({ status: 303, headers: { location: '/sign-in?next=%2Fbatches' } });
    const answer = await visit.signIn(people.passkeys.alice ?? softwarePasskey());
    expect(answer).toMatchObject({ status: 303, headers: { location: '/' } });
    const [session] = visit.cookiesSet.filter((cookie) => cookie.startsWith('payouts-session'));
    expect(session).toMatch(/HttpOnly/);
    expect(session).toMatch(/SameSite=Strict/);
    const page = await visit.send('/');
    expect(page.status).toBe(200);
    expect(page.text).toContain('alice');
    const entries = await gateway.proxy.store.auditEntriesOf('pages');
    expect(entries.map(({ actor, action }) => [actor, action])).toEqual([['alice', 'signed in']]);
  });

  it('comes back to the page that was asked for, and to none elsewhere', async () => {
    const { people } = await open();
    const to = async (next: string): Promise<unknown> => {
      const visit = new Visit(people.origin);
      const page = `/sign-in?next=${encodeURIComponent(next)}`;
      const answer = await visit.sign(page, '/sign-in', {}, people.passkeys.alice ?? softwarePasskey());
      return answer.headers.location;
    };
    expect(await to('/incidents?open=1')).toBe('/incidents?open=1');
    for (const elsewhere of ['https://evil.example/', '//evil.example', '/..//evil.example', 'batches']) {
      expect(await to(elsewhere)).toBe('/');
    }
  });

  it.each(
    [
      ...['', 'batches', 'https://evil.example/', 'javascript:alert(1)', '//evil.example', '///evil.example'],
      ...['/\\evil.example', '\\/evil.example', '\\\\evil.example', '/\\/evil.example', '/\t/evil.example'],
      ...['/\n/evil.example', '/\r\n/evil.example', '\t//evil.example', ' //evil.example', '//user@evil.example'],
      ...['/..//evil.example', '/.//evil.example', '/x/..//evil.example', '/a/../..//evil.example'],
      ...['/%2e%2e//evil.example', '/%2E//evil.example', '/.%2e//evil.example', '/..\\\\evil.example'],
      ...['/.\\/evil.example', '/x/../\\evil.example', '/.\t.//evil.example', '/..///evil.example'],
      ...['/..//evil.example:443/a?b', '/..//user:word@evil.example', '/..//[::1]:9/', '//localhost:1/'],
    ].flatMap((next) => ['http://localhost:8090', 'https://payouts.example'].map((origin) => [next, origin])),
  )('leads nowhere else for %j at %s', (next, origin) => {
    const led = ownPath(next, policyOf([], { origin }));
    expect(new URL(led, `${origin}/sign-in`).origin).toBe(origin);
    expect(led).toMatch(/^\/(?![\\/])/);
  });

  it.each([
    ['/incidents?open=1', '/incidents?open=1'],
    ['/batches/b-1', '/batches/b-1'],
    ['/a/../batches', '/batches'],
    ['/payouts?text=//evil.example', '/payouts?text=//evil.example'],
    ['/x//evil.example', '/x//evil.example'],
    ['/%2f%2fevil.example', '/%2f%2fevil.example'],
    ['/batches#part', '/batches'],
    [undefined, '/'],
  ])('%j leads to %j', (next, to) => {
    expect(ownPath(next, policyOf([], { origin: 'https://payouts.example' }))).toBe(to);
  });

  it('refuses a passkey that the policy does not know, a repeated answer and a stale one, and the audit says so', async () => {
    const { people, gateway } = await open();
    const visit = new Visit(people.origin);
    expect((await visit.signIn(softwarePasskey())).status).toBe(401);
    const bob = people.passkeys.bob ?? softwarePasskey();
    const asked = await visit.submit('/sign-in', '/sign-in', {}, { accept: 'application/json' });
    const { challenge } = JSON.parse(asked.text).options;
    const signed = JSON.stringify(bob.assert(challenge, { origin: people.origin }));
    expect((await visit.submit('/sign-in', '/sign-in', { signed })).status).toBe(303);
    const other = new Visit(people.origin);
    expect((await other.submit('/sign-in', '/sign-in', { signed })).status).toBe(401);
    const madeUp = JSON.stringify(bob.assert('bWFkZS11cA', { origin: people.origin }));
    expect((await other.submit('/sign-in', '/sign-in', { signed: madeUp })).status).toBe(401);
    expect((await other.submit('/sign-in', '/sign-in', { signed: '{}' })).status).toBe(401);
    expect((await other.send('/')).status).toBe(303);
    await gateway.close();
    const entries = await gateway.proxy.store.auditEntriesOf('pages');
    expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'bob signed in',
      'unknown sign-in refused',
    ]);
    expect(entries[1]?.detail).toMatchObject({ count: '4', names: 'unknown, bob' });
  });

  it('ends by signing out, after half an hour without a request, and after twelve hours', async () => {
    const { people, gateway } = await open();
    let now = Date.now();
    Object.assign(gateway.app, { now: () => now });
    const leaving = await signedIn(people, 'alice');
    expect((await leaving.submit('/', '/sign-out', {})).headers.location).toBe('/sign-in');
    expect((await leaving.send('/')).status).toBe(303);
    const bare = await leaving.send('/sign-out', { method: 'POST', body: '', headers: FORM });
    expect(bare.text).toContain('Open its page again');
    const idle = await signedIn(people, 'alice');
    now += 30 * 60_000 + 1;
    expect((await idle.send('/')).status).toBe(303);
    const busy = await signedIn(people, 'alice');
    for (let half = 1; half <= 24; half += 1) {
      now += 30 * 60_000;
      expect((await busy.send('/')).status, `after ${half / 2} h`).toBe(200);
    }
    now += 1;
    expect((await busy.send('/')).status).toBe(303);
  });

  it('ends when the person or the passkey leaves the policy', async () => {
    const { people, gateway } = await open();
    const visit = await signedIn(people, 'bob');
    expect((await visit.send('/')).status).toBe(200);
    const { people: named } = people.policy;
    Object.assign(people.policy, { people: named.filter(({ name }) => name !== 'bob') });
    expect((await visit.send('/')).status).toBe(303);
    Object.assign(people.policy, { people: named });
    expect((await visit.send('/')).status).toBe(303);
    expect(gateway.app.settings.policy).toBe(people.policy);
  });
});

describe('a page', () => {
  it('is shown under its own name only, and takes no form of another page or without its token', async () => {
    const { people } = await open();
    const visit = await signedIn(people, 'alice');
    expect((await visit.send('/', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await visit.send('/', { headers: { host: `127.0.0.1:${people.port}` } })).status).toBe(403);
    const signOut = (headers: Record<string, string>) => visit.submit('/', '/sign-out', {}, headers);
    expect((await signOut({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await signOut({ origin: 'null' })).status).toBe(403);
    const bare = await visit.send('/sign-out', { method: 'POST', body: '', headers: FORM });
    expect(bare.status).toBe(403);
    expect((await visit.submit('/', '/sign-out', { _csrf: 'made-up' })).status).toBe(403);
    expect((await visit.send('/')).status).toBe(200);
  });

  it('of somebody who was signed in before, in another tab, sends nothing in the name of who is now', async () => {
    const { people } = await open();
    const { alice = softwarePasskey(), bob = softwarePasskey() } = people.passkeys;
    const visit = new Visit(people.origin);
    await visit.signIn(alice);
    const tab = await visit.send('/');
    const [, csrf = ''] = /name="_csrf" value="([^"]*)"/.exec(tab.text) ?? [];
    expect((await visit.signIn(bob)).status).toBe(303);
    const late = await visit.send('/sign-out', {
      method: 'POST',
      body: new URLSearchParams({ _csrf: csrf }).toString(),
      headers: FORM,
    });
    expect(late.status).toBe(403);
    expect((await visit.send('/')).text).toContain('bob');
  });

  it('lets a browser load nothing from elsewhere and run no script of its text', async () => {
    const { people } = await open();
    const { headers, text } = await new Visit(people.origin).send('/sign-in');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(text).not.toMatch(/<script(?! src=)|<style| on\w+=| style=/);
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to)).toSatisfy((all: string[]) =>
      all.every((to) => to.startsWith('/') || to === '#main'),
    );
  });

  it('keeps cookies for TLS where the pages are reached by it', async () => {
    const people = await pagePeople(PEOPLE);
    const sealed = { ...people.policy, origin: 'https://payouts.example.com' };
    await openPages({ ...people, policy: sealed });
    const visit = new Visit(people.origin, sealed.origin);
    const answer = await visit.signIn(people.passkeys.alice ?? softwarePasskey());
    expect(answer).toMatchObject({ status: 303, headers: { 'strict-transport-security': expect.anything() } });
    const [session] = visit.cookiesSet.filter((cookie) => cookie.startsWith('__Host-payouts-session='));
    expect(session).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(visit.cookiesSet.every((cookie) => cookie.includes('; Secure'))).toBe(true);
  });

  it('slows down those who guess', async () => {
    const { people } = await open();
    const visit = new Visit(people.origin);
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) statuses.add((await visit.submit('/sign-in', '/sign-in', { signed: '{}' })).status);
    expect([...statuses]).toEqual([401, 429]);
  });
});

describe('without a policy', () => {
  it('the pages are a trial that says so, on this machine only', async () => {
    const gateway = await openGateway();
    const visit = new Visit(gateway.url);
    const page = await visit.send('/');
    expect(page.status).toBe(200);
    expect(page.text).toContain('No policy is set');
    expect((await visit.send('/', { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  it('there are none where tokens are set', async () => {
    const gateway = await openGateway([{ name: 'shop', token: 'a-token-of-a-program-32-characters' }]);
    const page = await new Visit(gateway.url).send('/');
    expect(page.status).toBe(403);
    expect(page.text).toContain('no pages');
  });
});
