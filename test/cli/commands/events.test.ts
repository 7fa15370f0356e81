import { beforeEach, describe, expect, it } from 'vitest';
import { eventsStatus, forgetEvents, listEvents, replayEvents } from '../../../src/cli/event-log.ts';
import { inbox } from '../../../src/cli/inbox-actions.ts';
import type { Session } from '../../../src/cli/session.ts';
import { because } from '../../../src/domain/reasons.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import type { Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';

const AT = Date.parse('2026-03-02T08:00:00Z');

let store: Store;
let printed: { document: unknown; text: string };
let session: Session;
let references: string[];

beforeEach(async () => {
  store = await newStore();
  await store.leaseSubscription({ name: 'erp', owner: 'one', now: AT, until: AT + 1 });
  references = [];
  for (const id of ['a', 'b']) {
    const { reference, term } = (await store.claimPayout(payoutClaim(id))).record;
    await store.changePayout(reference, { term, state: 'held', reason: because('look-alike'), at: AT });
    references.push(reference);
  }
  const config = loadConfig({});
  session = fakeSession({
    config,
    store: async () => store,
    output: {
      result(document: unknown, text: string) {
        printed = { document, text };
      },
    },
  });
});

const move = (change: Parameters<Store['recordDeliveryProgress']>[1]): Promise<boolean> =>
  store.recordDeliveryProgress({ name: 'erp', owner: 'one', from: 0 }, change);

describe('payouts events', () => {
  it('lists the newest events, or those from a position on, and says when there are more', async () => {
    await listEvents(session, { limit: 1 });
    const second = { position: 2, kind: 'payout.attention', subject: references[1], uid: 'user-1' };
    const at = '2026-03-02T08:00:00.000Z';
    expect(printed.document).toEqual({ head: 2, tail: 0, events: [{ ...second, at }], complete: true });
    await listEvents(session, { from: 1, limit: 1 });
    expect(printed.document).toMatchObject({ events: [{ position: 1 }], complete: false });
    expect(printed.text).toContain('payouts events --from 2');
    await listEvents(session, { kind: 'batch.ended', limit: 10 });
    expect(printed.text).toBe('There are no events.');
  });
});

describe('payouts events status', () => {
  it('says how far each is delivered, since when it fails, why, and when it is tried next', async () => {
    await move({ failures: 3, failingSince: AT, why: 'http-503', nextTryAt: AT + 60_000 });
    expect(await eventsStatus(session)).toBe(0);
    expect(printed.text).toBe(
      [
        'erp [failing]',
        '  to             not in the configuration of this command',
        '  position       0',
        '  backlog        2 events',
        '  failing since  2026-03-02 08:00 UTC',
        '  why            http-503',
        '  next try       2026-03-02 08:01 UTC',
      ].join('\n'),
    );
  });

  it('ends with 5 for one that is parked, and says which replay goes on; the inbox names it', async () => {
    await move({ failures: 9, failingSince: AT, why: 'http-410', parkedAt: AT });
    expect(await eventsStatus(session)).toBe(5);
    expect(printed.text).toContain('to do          payouts events replay --from 1 --to erp');
    await inbox(session, { mine: false, by: undefined });
    expect(printed.document).toMatchObject({ parkedEvents: ['erp'] });
    expect(printed.text).toContain('events to erp have been parked since 2026-03-02 08:00 UTC: payouts events status');
  });

  it('ends with 5 for an event that is parked, with its position', async () => {
    const event = { subject: 's', since: AT, failures: 2, nextTryAt: AT, why: 'http-422' };
    await move({
      position: 2,
      refused: [
        { ...event, position: 1, parkedAt: AT },
        { ...event, position: 2, parkedAt: null },
      ],
    });
    expect(await eventsStatus(session)).toBe(5);
    expect(printed.text).toContain('refused        1 event: 2 (http-422)');
    expect(printed.text).toContain('parked events  1 event: 1 (http-422)');
  });
});

describe('payouts events replay', () => {
  const asked = { from: 1, to: 'erp', by: 'alice', yes: true };

  it('sets a subscription back, parked or not', async () => {
    await move({ position: 2, parkedAt: AT });
    expect(await replayEvents(session, asked)).toBeUndefined();
    expect(await store.subscriptions()).toMatchObject([{ position: 0, parkedAt: null }]);
    expect(await store.auditEntriesOf('erp')).toMatchObject([{ actor: 'alice', action: 'events replayed' }]);
  });

  it('refuses a position that there is not, and a name that nobody has', async () => {
    await expect(replayEvents(session, { ...asked, from: 4 })).rejects.toMatchObject({ code: 'position-unknown' });
    await expect(replayEvents(session, { ...asked, from: 0 })).rejects.toMatchObject({ code: 'position-unknown' });
    await expect(replayEvents(session, { ...asked, to: 'nobody' })).rejects.toMatchObject({
      code: 'unknown-subscription',
    });
    expect(await replayEvents(session, { ...asked, from: 3 })).toBeUndefined();
  });

  it('refuses a position whose events are deleted, and names the first one there is', async () => {
    await move({ position: 1 });
    await store.pruneOutbox({ before: AT + 1, limit: 10 });
    await expect(replayEvents(session, asked)).rejects.toMatchObject({
      code: 'events-deleted',
      message: 'The events up to position 1 were delivered and have been deleted.',
      hint: expect.stringContaining('payouts events replay --from 2 --to NAME'),
    });
    await listEvents(session, { from: 1, limit: 10 });
    expect(printed.text).toMatch(/^The events up to position 1 have been deleted\.\nposition .*\n.*\n2 /s);
    expect(printed.document).toMatchObject({ head: 2, tail: 1, events: [{ position: 2 }] });
  });
});

describe('payouts events forget', () => {
  it('forgets one that is not configured any more, and no other', async () => {
    const asked = { by: 'alice', yes: true };
    expect(await forgetEvents(session, 'erp', asked)).toBeUndefined();
    expect(await store.subscriptions()).toEqual([]);
    await expect(forgetEvents(session, 'erp', asked)).rejects.toMatchObject({ code: 'unknown-subscription' });
    Object.assign(session.config.events, {
      subscriptions: [{ name: 'erp', to: { kind: 'webhook', url: 'https://erp.example/' } }],
    });
    await expect(forgetEvents(session, 'erp', asked)).rejects.toMatchObject({ code: 'subscription-in-use' });
  });
});
