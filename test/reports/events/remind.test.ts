import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { deliverDigest, mailTransport } from '../../../src/reports/events/deliver.ts';
import { remindPeople } from '../../../src/reports/events/remind.ts';
import { payoutClaim } from '../../store/samples.ts';
import { FakeMailServer } from './mail-server.ts';
import { SETTINGS, Sending } from './sending.ts';

const HOURS = 72;
const terms = { ...SETTINGS.terms, waits: { ...SETTINGS.terms.waits, approvalTtlMs: HOURS * HOUR_MS } };

async function asked(sending: Sending, id: string): Promise<string> {
  const { record } = await sending.store.claimPayout(payoutClaim(id));
  const { reference, term } = record;
  await sending.store.changePayout(reference, { term, state: 'awaiting-approval', reason: null, at: sending.now });
  return reference;
}

it('people are reminded once of a question, a day before it ends, with a mail that says until when', async () => {
  await using sending = await Sending.start();
  await using server = await FakeMailServer.start();
  const { store } = sending;
  const remind = (): Promise<number> => remindPeople({ store, terms, leadMs: DAY_MS, now: sending.now });
  const reference = await asked(sending, 'INV-1');
  await sending.deliver();
  sending.now += (HOURS - 24) * HOUR_MS - 1;
  expect(await remind()).toBe(0);
  sending.now += 1;
  expect([await remind(), await remind()]).toEqual([1, 0]);
  await sending.deliver();
  expect(sending.receiver.taken.at(-1)?.event).toMatchObject({
    type: 'org.durable-payouts.payout.reminder',
    data: { reference, state: 'awaiting-approval', decideBy: '2026-03-05T08:00:00.000Z' },
  });
  const transport = mailTransport({ url: server.url, from: 'payouts@example.com', isRemote: false });
  const to = { kind: 'mail', addresses: ['bob@example.com'], everyMs: 0 } as const;
  await store.leaseSubscription({ name: 'mails', owner: 'one', now: sending.now, until: sending.now });
  const later = await asked(sending, 'INV-2');
  sending.now += 2 * DAY_MS;
  expect(await remind()).toBe(1);
  await deliverDigest(sending.deps(), { name: 'mails', kinds: ['payout.reminder'], to }, transport.send);
  const [mail = expect.fail('no mail')] = server.mails;
  expect(mail.text).toContain('Subject: Payouts: 1 payout whose time to decide ends soon');
  const text = mail.text.replaceAll('=\n', '').replaceAll(/\s+/g, ' ');
  expect(text).toContain(`until 2026-03-07 08:00 UTC ${later}`);
  expect(text).not.toContain('INV-1');
  transport.close();
});

it('a short time is halved before anybody is reminded, what was decided is not sent, and nobody is where it is set so', async () => {
  await using sending = await Sending.start();
  const { store } = sending;
  const reference = await asked(sending, 'INV-1');
  await sending.deliver();
  const given = { store, terms, leadMs: 9 * DAY_MS };
  expect(await remindPeople({ ...given, now: sending.now + (HOURS / 2) * HOUR_MS - 1 })).toBe(0);
  expect(await remindPeople({ ...given, leadMs: 0, now: sending.now + HOURS * HOUR_MS })).toBe(0);
  expect(await remindPeople({ ...given, now: sending.now + (HOURS / 2) * HOUR_MS })).toBe(1);
  await store.changePayout(reference, { state: 'submitting', reason: null, at: sending.now });
  const before = sending.reported();
  await sending.deliver();
  expect(sending.reported()).toEqual(before);
});
