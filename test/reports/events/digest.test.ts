import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { deliverDigest, mailTransport } from '../../../src/reports/events/deliver.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { FakeMailServer } from './mail-server.ts';
import { NAME, SETTINGS, Sending } from './sending.ts';

const to = { kind: 'mail', addresses: ['alice@example.com', 'bob@example.com'], everyMs: HOUR_MS } as const;

it('a mail reports everything in an hour, in its state by then, and comes once', async () => {
  await using sending = await Sending.start();
  sending.pages = 'https://payouts.example.com';
  await using server = await FakeMailServer.start();
  const proxy = mailTransport({ url: server.url, from: 'payouts@example.com', isRemote: false });
  const deliver = (): Promise<void> => deliverDigest(sending.deps(), { name: NAME, to }, proxy.send);

  const first = await sending.stuck('INV-1');
  sending.now += HOUR_MS / 2;
  const second = await sending.stuck('INV-2');
  await second.end();
  const { store, now } = sending;
  await store.recordReturn({
    orderId: 'o-1',
    reference: second.reference,
    amount: '10.50',
    currency: 'USD',
    seenAt: now,
  });
  await store.recordIncident({ kind: 'second-order', reference: second.reference, orderId: 'o-2', seenAt: now });
  await deliver();
  expect(server.mails).toEqual([]);
  sending.now += HOUR_MS / 2;
  server.verdict = '451 later';
  await deliver();
  expect(await sending.state()).toMatchObject({ position: 0, why: 'smtp-451', failures: 1 });
  server.verdict = '250 OK';
  await deliver();
  sending.now += 5_000;
  await deliver();
  await deliver();
  expect(server.mails).toHaveLength(1);
  const [mail = expect.fail('no mail')] = server.mails;
  expect(mail.to).toEqual(['alice@example.com', 'bob@example.com']);
  const [head = '', body = ''] = mail.text.split(/\n\n(.*)/s);
  expect(head.replace(/\n\s+/g, ' ')).toContain(
    'Subject: Payouts: 1 payout needs attention, 1 payout contradicted by the bank, 1 payout with money that came back, 1 payout ended',
  );
  expect(head).toMatch(/^Message-ID: <[0-9a-f]{32}@durable-payouts>$/im);
  const incident = (await store.incidentsOf([second.reference]))[0]?.id;
  const pages = 'https://payouts.example.com';
  expect(body.replaceAll('=\n', '').trim()).toBe(
    [
      '1 payout needs attention',
      '',
      'INV-1  10.50 USD  of user-1',
      '  the bank shows a status whose meaning is not known',
      `  ${pages}/payouts/${first.reference}`,
      '',
      `All of them: ${pages}/`,
      '',
      '1 payout contradicted by the bank',
      '',
      'INV-2  10.50 USD  of user-1',
      '  the payout is completed, or its exchange booked, and the',
      '  bank shows another order under the same reference',
      `  (${incident})`,
      `  ${pages}/payouts/${second.reference}`,
      '',
      `All of them: ${pages}/incidents`,
      '',
      '1 payout with money that came back',
      '',
      'INV-2  10.50 USD  of user-1',
      '  10.50 USD came back; its page says how to pay it again',
      `  ${pages}/payouts/${second.reference}`,
      '',
      `All of them: ${pages}/payouts?returned=yes`,
      '',
      '1 payout ended',
      '',
      'returned: 1 payout, 10.50 USD',
    ].join('\n'),
  );
  expect(body).not.toMatch(/payouts (inbox|incidents|status)/);
  expect(await sending.state()).toMatchObject({ position: 5, failures: 0, failingSince: null });
  proxy.close();
});

it('a mail that one address is refused for is sent again to that one alone, until it is taken', async () => {
  await using sending = await Sending.start();
  await using server = await FakeMailServer.start();
  const proxy = mailTransport({ url: server.url, from: 'payouts@example.com', isRemote: false });
  const deliver = (): Promise<void> => deliverDigest(sending.deps(), { name: NAME, to }, proxy.send);
  await sending.stuck('INV-1');
  sending.now += HOUR_MS;
  server.refused.add('bob@example.com');
  await deliver();
  expect(await sending.state()).toMatchObject({ position: 0, why: 'mail-partly-refused', failures: 1 });
  sending.now += 5_000;
  await deliver();
  expect(await sending.state()).toMatchObject({ position: 0, why: 'smtp-451', failures: 2 });
  server.refused.clear();
  sending.now += 10_000;
  await deliver();
  expect(server.mails.map((mail) => mail.to)).toEqual([['alice@example.com'], ['bob@example.com']]);
  expect(await sending.state()).toMatchObject({ position: 1, why: null });
  proxy.close();
});

it('an event of a clock far ahead holds up no mail', async () => {
  await using sending = await Sending.start();
  const deliver = async (): Promise<number> => {
    let sent = 0;
    await deliverDigest(sending.deps(), { name: NAME, to }, async () => {
      sent += 1;
      return { kind: 'taken' };
    });
    return sent;
  };
  const { now } = sending;
  sending.now = now + 30 * DAY_MS;
  await sending.stuck('INV-1');
  sending.now = now;
  await sending.stuck('INV-2');
  expect(await deliver()).toBe(1);
  // One that is a little ahead gathers others as any other does.
  sending.now = now + 1_000;
  await sending.stuck('INV-3');
  sending.now = now;
  expect(await deliver()).toBe(0);
  sending.now = now + 1_000 + HOUR_MS;
  expect(await deliver()).toBe(1);
});

it('no mail is sent where nothing holds any more', async () => {
  await using sending = await Sending.start();
  const { end } = await sending.stuck('INV-1');
  await end();
  sending.now += HOUR_MS;
  const subscription = { name: NAME, kinds: ['payout.attention'] as const, to };
  await deliverDigest(sending.deps(), subscription, () => expect.fail('a mail'));
  expect((await sending.state()).position).toBe(2);
});

it('a mail of the day lists what waits, at its time in the zone, whether or not anything is new', async () => {
  await using sending = await Sending.start();
  await using server = await FakeMailServer.start();
  sending.settings = { ...SETTINGS, timeZone: 'Europe/Berlin' };
  const transport = mailTransport({ url: server.url, from: 'payouts@example.com', isRemote: false });
  const daily = { ...to, daily: '08:00' };
  const deliver = (): Promise<void> => deliverDigest(sending.deps(), { name: 'mails', to: daily }, transport.send);
  await deliver();
  await sending.stuck('INV-1');
  const ended = await sending.stuck('INV-2');
  await ended.end();
  await deliver();
  expect(server.mails).toEqual([]);
  const at = async (moment: string): Promise<string | undefined> => {
    sending.now = Date.parse(moment);
    const before = server.mails.length;
    await deliver();
    expect(server.mails.length - before).toBeLessThan(2);
    return server.mails[before]?.text.replaceAll('=\n', '').replaceAll(/\s+/g, ' ');
  };
  expect(await at('2026-03-03T06:59:59Z')).toBeUndefined();
  const first = await at('2026-03-03T07:00:00Z');
  expect(first).toContain('Subject: Payouts: 1 payout waits for a decision, 1 payout ended');
  expect(first).not.toContain('attention');
  expect(await at('2026-03-03T12:00:00Z')).toBeUndefined();
  expect(await at('2026-03-04T07:00:05Z')).toContain('Subject: Payouts: 1 payout waits for a decision ');
  // Clocks are put forward on 29 March.
  expect(await at('2026-03-30T06:00:00Z')).toContain('INV-1');
  expect((await sending.store.subscriptions()).find(({ name }) => name === 'mails')?.nextTryAt).toBe(
    Date.parse('2026-03-31T06:00:00Z'),
  );
  transport.close();
});

it('a mail for a person has of what waits only what they can decide', async () => {
  await using sending = await Sending.start();
  const people = [signingPerson('bob', ['operator']), signingPerson('eve', ['operator'], { currencies: ['EUR'] })];
  const policy = policyOf(people);
  sending.settings = { ...SETTINGS, policy };
  await sending.stuck('INV-1');
  sending.now += HOUR_MS;
  const mailed = async (person: string): Promise<(string | undefined)[]> => {
    const subjects: string[] = [];
    for (const form of [{}, { daily: '08:00' }]) {
      const name = `${person}-${Object.keys(form).length}`;
      const deliver = (): Promise<void> =>
        deliverDigest(sending.deps(), { name, to: { ...to, ...form, person } }, async ({ subject }) => {
          subjects.push(subject);
          return { kind: 'taken' };
        });
      await deliver();
      await sending.store.replaySubscription({ name, from: 1, by: 'test', at: sending.now });
      await deliver();
      sending.now += DAY_MS;
      await deliver();
    }
    return subjects;
  };
  expect(await mailed('bob')).toEqual(['Payouts: 1 payout needs attention', 'Payouts: 1 payout waits for a decision']);
  expect(await mailed('eve')).toEqual([]);
});

it('a mail for a person has comments of others on what they have submitted or commented on', async () => {
  await using sending = await Sending.start();
  const { store } = sending;
  await store.claimBatch({ ...batchClaim('b-1', []), by: 'alice', rows: [claimRow(1, 'INV-1'), claimRow(2, 'INV-2')] });
  const { reference } = claimRow(1, 'INV-1');
  const say = (actor: string, text: string) =>
    store.recordComment({ reference, uid: 'u-1001', actor, text, at: sending.now });
  const mailed = async (person: string): Promise<string[]> => {
    const texts: string[] = [];
    await deliverDigest(sending.deps(), { name: person, to: { ...to, person } }, async ({ subject, text }) => {
      texts.push(`${subject} ${text}`);
      return { kind: 'taken' };
    });
    return texts;
  };
  // A subscription begins with what is written after it was first read.
  for (const name of ['alice', 'bob', 'carol']) expect(await mailed(name)).toEqual([]);
  await say('bob', 'Which order is this?');
  sending.now += HOUR_MS;
  const [mail, ...none] = await mailed('alice');
  expect(mail).toMatch(/^Payouts: 1 payout with a new comment .*INV-1/s);
  expect(mail).not.toMatch(/INV-2|Which order/);
  expect([none, await mailed('bob'), await mailed('carol')]).toEqual([[], [], []]);
  await say('alice', 'Of May');
  sending.now += HOUR_MS;
  expect(await mailed('alice')).toEqual([]);
  expect(await mailed('bob')).toHaveLength(1);
});
