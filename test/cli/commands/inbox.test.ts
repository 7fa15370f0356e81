import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { listCards } from '../../../src/cli/card-actions.ts';
import { decide } from '../../../src/cli/decision-actions.ts';
import { inbox } from '../../../src/cli/inbox-actions.ts';
import { status } from '../../../src/cli/inspect.ts';
import { list } from '../../../src/cli/list.ts';
import type { Session } from '../../../src/cli/session.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { because, type ReasonCode } from '../../../src/domain/reasons.ts';
import { newKey } from '../../../src/people/signing/signing.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import type { Store } from '../../../src/store/store.ts';
import { cardClaim, cardEvent } from '../../store/card-samples.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { newFolder } from '../../support/new-folder.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

const [FIRST, SECOND] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-00000000000a'];
let store: Store;
let session: Session;
let printed: { text: string; document: unknown };

beforeEach(async () => {
  store = await newStore();
  await store.claimBatch(batchClaim(FIRST, ['A-1', 'A-2', 'A-3'], 1_000));
  await store.claimBatch({ ...batchClaim(SECOND, ['B-1', 'B-2'], 2_000), by: 'bob' });
  await enter('A-1', 'held', 'look-alike', 9_000);
  await enter('A-2', 'awaiting-approval', 'approval-required', 5_000);
  await enter('A-3', 'failed', 'bank-failed', 4_000);
  await enter('B-1', 'held', 'look-alike', 3_000);
  await enter('B-2', 'held', 'card-payment-open', 3_000);
  session = fakeSession({
    config: loadConfig({ PAYOUTS_HOME: '/nowhere' }),
    store: async () => store,
    output: {
      result(document: unknown, text: string) {
        printed = { text, document };
      },
      notify() {},
    },
  });
});

async function enter(id: string, state: PayoutState, code: ReasonCode, at: number): Promise<void> {
  const { reference } = claimRow(1, id);
  await store.markReleased([reference], at);
  await store.changePayout(reference, { state, reason: because(code), at });
}

const all = { mine: false, by: undefined };
const listed = (): string[] => (printed.document as { payouts: { id: string }[] }).payouts.map(({ id }) => id);

it('`inbox` shows the rows that are not started while something is switched off', async () => {
  const third = '01890000-0000-7000-8000-00000000000b';
  await store.claimBatch(batchClaim(third, ['C-1', 'C-2'], 3_000));
  await store.markReleased([claimRow(1, 'C-2').reference], 4_000);
  await inbox(session, { ...all, kind: 'switched-off' });
  expect(listed()).toEqual([]);
  await store.switchOff({ scope: 'batch', key: third, reason: 'a drill', by: 'bob', at: 6_000 });
  await inbox(session, { ...all, kind: 'switched-off' });
  expect(listed()).toEqual(['C-1']);
  expect(printed.document).toMatchObject({ kinds: [{ kind: 'switched-off', since: '1970-01-01T00:00:06.000Z' }] });
  await inbox(session, all);
  expect(printed.text).toContain(`payouts switch on batch ${third}`);
});

it('`inbox` shows what waits for people in every batch, by kind, the oldest first, and nothing else', async () => {
  await inbox(session, all);
  expect(printed.document).toMatchObject({
    for: null,
    kinds: [
      { kind: 'look-alike', count: 2, since: '1970-01-01T00:00:03.000Z' },
      { kind: 'approval-required', count: 1 },
    ],
    incidents: [],
  });
  expect(listed()).toEqual(['B-1', 'A-2', 'A-1']);
  expect(printed.text).toMatch(/^3 payouts wait for people\.\n\n2 payouts held \[look-alike\]/);
});

it('`inbox` shows a payout that is with the bank for longer than every earlier one like it was', async () => {
  const [hour, now] = [3_600_000, Date.now()];
  const third = '01890000-0000-7000-8000-00000000000b';
  const ids = Array.from({ length: 12 }, (_, n) => `D-${n}`);
  await store.claimBatch(batchClaim(third, ids, now - 9 * hour));
  for (const [n, id] of ids.entries()) {
    const { record } = await store.claimPayout(payoutClaim(id));
    const { reference, term } = record;
    // The first took 2 hours, the last ones are open for 5 and for 1.
    const sentAt = now - (n === 10 ? 5 : n === 11 ? 1 : 4) * hour;
    const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt, claim: { reference, term } };
    await store.recordAttempt(attempt);
    await store.changePayout(reference, { state: 'processing', orderId: `o-${n}`, at: sentAt });
    if (n < 10) await store.changePayout(reference, { state: 'completed', at: sentAt + (n === 0 ? 2 : 1) * hour });
  }
  await inbox(session, { ...all, kind: 'slower-than-others' });
  expect(listed()).toEqual(['D-10']);
  expect(printed.text).toContain('overdue: all of the last 10 payouts in USD took about 2 hours or less');
  expect(printed.text).toContain('payouts orders user-1 USD');
  await inbox(session, all);
  expect(listed()).toEqual(['B-1', 'A-2', 'A-1', 'D-10']);
});

it('`inbox --mine` leaves out what somebody has handed over', async () => {
  await inbox(session, { mine: true, by: 'Bob' });
  expect(listed()).toEqual(['A-2', 'A-1']);
  await inbox(session, { mine: true, by: 'maker' });
  expect(listed()).toEqual(['B-1']);
  expect(printed.text).toMatch(/^1 payout waits for maker\./);
});

it('`inbox --key` signs in with that key, also without --mine', async () => {
  const key = join(newFolder(), 'bob.pem');
  const { privateKey } = newKey();
  writeFileSync(key, privateKey, { mode: 0o600 });
  await inbox(session, { ...all, key });
  expect(session.key).toBe(privateKey);
});

it('`inbox --kind` shows one kind, and says it when there is none', async () => {
  await inbox(session, { ...all, kind: 'approval-required' });
  expect(listed()).toEqual(['A-2']);
  await inbox(session, { ...all, kind: 'fee-above-cap' });
  expect(printed.text).toBe('Nothing waits for people.');
});

it('`inbox` shows an open incident until somebody has seen to it', async () => {
  const { reference } = claimRow(1, 'A-3');
  await store.recordIncident({ kind: 'order-after-end', reference, orderId: 'ord-9', seenAt: 1 });
  await inbox(session, all);
  expect(printed.text).toMatch(
    /and 1 open incident\.(.|\n)*incident inc-\w+ \[order-after-end\](.|\n)*payouts acknowledge inc-/,
  );
  expect(printed.text).not.toContain('INCIDENT');
});

it('`inbox` shows every card payment that needs an operator or whose end is contradicted, however old', async () => {
  const { cards } = store;
  await cards.claim(cardClaim('order-1', { runId: 'r', at: 1 }));
  await cards.change('order-1', { state: 'needs-operator', reason: because('payment-outcome-unknown'), at: 2 });
  await cards.claim(cardClaim('order-2', { runId: 'r', at: 3 }));
  await cards.change('order-2', { state: 'failed', at: 4 });
  const event = cardEvent('p-2', { merchantRequestId: 'order-2' });
  await cards.receive(event);
  await cards.recordEventEffect(event, { merchantRequestId: 'order-2', effect: 'contradicts', at: 5 });
  for (let n = 0; n < 101; n += 1) await cards.claim(cardClaim(`later-${n}`, { at: 10 }));
  await inbox(session, all);
  expect(printed.document).toMatchObject({
    cardPayments: [
      { id: 'order-1', state: 'needs-operator', reason: { code: 'payment-outcome-unknown' } },
      { id: 'order-2', state: 'failed', reason: { code: 'card-payment-contradicted' } },
    ],
  });
  expect(printed.text).toMatch(/, and 2 card payments\.(.|\n)*card payment order-1 \[payment-outcome-unknown\]/);
  expect(printed.text).toContain('payouts card show order-2');
  await inbox(session, { ...all, kind: 'card-payment-contradicted' });
  expect(printed.document).toMatchObject({ cardPayments: [{ id: 'order-2' }] });
  const ui = async () => ({ url: 'http://127.0.0.1:1', namespace: 'default' });
  await listCards(fakeSession({ ...session, ui }));
  const [, , first = '', second = ''] = printed.text.split('\n');
  expect([first, second].map((line) => line.split(/ +/)[0])).toEqual(['order-1', 'order-2']);
  expect(second).toMatch(/failed .* card-payment-contradicted/);
});

it('`inbox --mine` shows card payments and incidents to operators of the policy only, by the currencies of their scope', async () => {
  await store.cards.claim(cardClaim('order-1', { currency: 'EUR', runId: 'r', at: 1 }));
  await store.cards.change('order-1', { state: 'needs-operator', at: 2 });
  const { reference } = claimRow(1, 'A-3');
  await store.recordIncident({ kind: 'order-after-end', reference, orderId: 'ord-9', seenAt: 1 });
  const policy = policyOf([
    signingPerson('bob', ['approver']),
    signingPerson('olga', ['operator']),
    signingPerson('dave', ['operator'], { currencies: ['USD'] }),
  ]);
  const { config } = session;
  const governed = fakeSession({ ...session, config: { ...config, settings: { ...config.settings, policy } } });
  const shown = async (by: string): Promise<number[]> => {
    await inbox(governed, { mine: true, by });
    const { cardPayments, incidents } = printed.document as { cardPayments: object[]; incidents: object[] };
    return [cardPayments.length, incidents.length];
  };
  expect(await shown('bob')).toEqual([0, 0]);
  expect(await shown('olga')).toEqual([1, 1]);
  expect(await shown('dave')).toEqual([0, 1]);
});

it('`status` of a payout with an incident says what to do about it, with its id', async () => {
  const { reference } = claimRow(1, 'A-3');
  await store.recordIncident({ kind: 'order-after-end', reference, orderId: 'ord-9', seenAt: 1 });
  const links = {
    ui: async () => ({ url: 'http://127.0.0.1:1', namespace: 'default' }),
    liveUi: async () => undefined,
    liveBank: async () => undefined,
  };
  await status(fakeSession({ ...session, ...links }), 'A-3');
  expect(printed.text).toMatch(/^to do +.*payouts acknowledge inc-\w+/m);
  expect(printed.text).toContain('Do not pay it again');
  expect(printed.text).not.toContain('payouts retry');
  expect(printed.text).not.toContain('Temporal UI');
});

it('`list` says how many rows of a batch wait for people', async () => {
  await list(session);
  const { batches } = printed.document as { batches: { batchId: string; attention: number }[] };
  expect(batches.map(({ batchId, attention }) => [batchId, attention])).toEqual([
    [SECOND, 2],
    [FIRST, 2],
  ]);
  expect(printed.text).toContain('for people');
});

it.each([
  ['state', { state: ['failed'] as const }, ['A-3']],
  ['kind', { kind: 'look-alike' }, ['B-1', 'A-1']],
  ['account', { account: 'acc-2' }, []],
  ['day', { from: 1_500, to: 3_000 }, ['B-1', 'B-2']],
  ['text in any case', { text: 'b-1' }, ['B-1']],
  ['name of the file', { text: `${FIRST}.CSV` }, ['A-1', 'A-2', 'A-3']],
  ['text that looks like a pattern', { text: 'A_1' }, []],
  ['all of it', { kind: 'look-alike', from: 1_500 }, ['B-1']],
])('`list` finds payouts by %s', async (_what, options, expected) => {
  await list(session, options);
  expect(listed()).toEqual(expected);
});

it('`approve` of a batch whose rows ask different questions asks which, and takes none of them', async () => {
  const asked = decide(session, 'approve', FIRST, { yes: true, by: 'bob', remark: undefined });
  await expect(asked).rejects.toMatchObject({
    code: 'kinds-mixed',
    message: expect.stringContaining('look-alike (1), approval-required (1)'),
    hint: expect.stringContaining('--kind look-alike,approval-required'),
  });
  expect(await store.auditEntriesOf(claimRow(1, 'A-1').reference)).not.toContainEqual(
    expect.objectContaining({ action: 'asked to approve' }),
  );
});

it('`approve --kind` of a kind that nobody waits for says so', async () => {
  const asked = decide(session, 'approve', FIRST, { yes: true, by: 'bob', remark: undefined, kind: ['fee-above-cap'] });
  await expect(asked).rejects.toMatchObject({ code: 'nothing-awaited' });
});

it('`inbox` shows comments until their maker answers', async () => {
  const { reference } = claimRow(1, 'B-1');
  const comment = (actor: string, remark: string): Promise<void> =>
    store.audit({ at: Date.now(), actor, action: 'commented', subject: reference, detail: { remark } });
  const shown = async (): Promise<unknown> => {
    await inbox(session, all);
    return (printed.document as { comments: unknown }).comments;
  };
  expect(await shown()).toEqual([]);
  await comment('carol', 'Which contract?');
  expect(await shown()).toMatchObject([{ reference, id: 'B-1', by: 'carol', text: 'Which contract?' }]);
  expect(printed.text).toContain('and 1 comment.');
  expect(printed.text).toMatch(/comment on B-1\n +who +carol\n +says +Which contract\?\n/);
  await comment('bob', 'The one of May.');
  expect(await shown()).toEqual([]);
});
