import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { gatewayClient } from '../../../src/channels/http/gateway-client.ts';
import { eventsStatus, forgetEvents, listEvents, replayEvents } from '../../../src/cli/event-log.ts';
import type { Session } from '../../../src/cli/session.ts';
import { because } from '../../../src/domain/reasons.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import type { Store } from '../../../src/store/store.ts';
import { openGateway } from '../../channels/http/running-gateway.ts';
import { payoutClaim } from '../../store/samples.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { policyOf, type SigningPerson, signingPerson } from '../../support/people.ts';

const AT = Date.parse('2026-03-02T08:00:00Z');
const olga = signingPerson('olga', ['operator']);
const adam = signingPerson('adam', ['auditor']);
const mike = signingPerson('mike', ['maker']);
const euro = signingPerson('euro', ['operator', 'auditor'], { currencies: ['EUR'] });

let store: Store;
/** Where the store is. */
let here: Session;
/** On the laptop of a person. */
let laptopOf: (person: SigningPerson) => Session;
let printed: unknown[];

beforeEach(async () => {
  printed = [];
  const policy = policyOf([olga, adam, mike, euro]);
  const env: Record<string, string> = {};
  const { proxy, url, app } = await openGateway([], { policy, env });
  env.PAYOUTS_EVENTS = join(proxy.dir, 'events.json');
  const hook = { name: 'books', url: 'https://books.example/hook?key=1', secrets: [`whsec_${'A'.repeat(32)}`] };
  writeFileSync(env.PAYOUTS_EVENTS, JSON.stringify({ subscriptions: [hook] }), { mode: 0o600 });
  Object.assign(app.config, { events: loadConfig(env).events });
  store = proxy.store;
  for (const name of ['books', 'erp']) {
    await store.leaseSubscription({ name, owner: 'one', now: AT, until: AT + 1 });
  }
  for (const id of ['a', 'b', 'c']) {
    const { reference, term } = (await store.claimPayout(payoutClaim(id))).record;
    await store.changePayout(reference, { term, state: 'held', reason: because('look-alike'), at: AT });
  }
  const output = { result: (document: unknown, text: string) => printed.push({ document, text }) };
  const config = loadConfig(env);
  here = fakeSession({ config, output, store: async () => store, stack: async () => ({ owner: false }) });
  laptopOf = ({ privateKey }) =>
    fakeSession({
      config: loadConfig({}),
      output,
      gateway: gatewayClient(url, () => keyToken(privateKey, url, Date.now())),
    });
});

/** The answer of a command, or its refusal. */
async function answerOf(run: () => Promise<unknown>): Promise<unknown> {
  printed.length = 0;
  const exit = await run().catch(({ code, kind, message, hint }) => ({ code, kind, message, hint }));
  return { exit, printed: structuredClone(printed) };
}

const asked = { by: undefined, yes: true };

it.each<[string, (session: Session) => Promise<unknown>]>([
  ['the newest', (session) => listEvents(session, { limit: 2 })],
  ['those from a position', (session) => listEvents(session, { from: 1, limit: 2 })],
  ['one kind', (session) => listEvents(session, { kind: 'batch.ended', limit: 2 })],
  ['none', (session) => listEvents(session, { limit: 0 })],
  ['a position that there is not', (session) => replayEvents(session, { ...asked, from: 9, to: 'erp' })],
  ['position 0', (session) => replayEvents(session, { ...asked, from: 0, to: 'erp' })],
  ['a name that nobody has', (session) => replayEvents(session, { ...asked, from: 1, to: 'nobody' })],
  ['to forget a name that nobody has', (session) => forgetEvents(session, 'nobody', asked)],
  ['to forget what is configured', (session) => forgetEvents(session, 'books', asked)],
])('says the same as in place of %s', async (_what, run) => {
  const inPlace = await answerOf(() => run(here));
  expect(await answerOf(() => run(laptopOf(olga)))).toEqual(inPlace);
});

it('shows the progress of each subscription, with the same exit code', async () => {
  const refused = { subject: 's', since: AT, failures: 2, nextTryAt: AT, why: 'http-422', position: 1 };
  const move = { position: 2, failures: 1, failingSince: AT, why: 'http-503', nextTryAt: AT };
  await store.recordDeliveryProgress(
    { name: 'erp', owner: 'one', from: 0 },
    { ...move, refused: [{ ...refused, parkedAt: AT }] },
  );
  const inPlace = await answerOf(() => eventsStatus(here));
  const there = await answerOf(() => eventsStatus(laptopOf(adam)));
  expect(inPlace).toMatchObject({ exit: 5 });
  expect(JSON.stringify(there)).toBe(
    JSON.stringify(inPlace).replace('in the configuration of this command', 'in the configuration of the gateway'),
  );
  expect(JSON.stringify(there)).toContain('https://books.example');
  expect(JSON.stringify(there)).not.toContain('key=1');
});

it('replays and forgets in the name of the person, and of nobody else', async () => {
  const laptop = laptopOf(olga);
  await store.recordDeliveryProgress({ name: 'erp', owner: 'one', from: 0 }, { position: 3, parkedAt: AT });
  const other = replayEvents(laptop, { ...asked, by: 'adam', from: 2, to: 'erp' });
  await expect(other).rejects.toMatchObject({ code: 'maker-not-yours' });
  await replayEvents(laptop, { ...asked, from: 2, to: 'erp' });
  expect(await store.subscriptions()).toMatchObject([{ name: 'books' }, { name: 'erp', position: 1, parkedAt: null }]);
  await forgetEvents(laptop, 'erp', asked);
  expect(await store.subscriptions()).toMatchObject([{ name: 'books' }]);
  expect(await store.auditEntriesOf('erp')).toMatchObject([
    { actor: 'olga', action: 'events replayed' },
    { actor: 'olga', action: 'events forgotten' },
  ]);
});

it.each([['a maker', mike] as const, ['an operator with a scope', euro] as const, ['an auditor', adam] as const])(
  'lets %s change nothing',
  async (_who, person) => {
    const laptop = laptopOf(person);
    const refused = [
      () => replayEvents(laptop, { ...asked, from: 1, to: 'erp' }),
      () => forgetEvents(laptop, 'erp', asked),
      ...(person === adam ? [] : [() => listEvents(laptop, { limit: 1 }), () => eventsStatus(laptop)]),
    ];
    for (const ask of refused) await expect(ask()).rejects.toMatchObject({ code: 'role-missing' });
    expect((await store.subscriptions()).map(({ name }) => name)).toEqual(['books', 'erp']);
  },
);
