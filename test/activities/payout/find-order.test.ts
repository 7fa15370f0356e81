import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { findOrder } from '../../../src/activities/find.ts';
import { listReader } from '../../../src/activities/lists.ts';
import { envelopeError } from '../../../src/bank/errors.ts';
import { type Order, order as orderSchema } from '../../../src/bank/schemas/orders.ts';
import type { ListDoubt } from '../../../src/domain/absence.ts';
import { payoutWorkflowId } from '../../../src/domain/names.ts';
import { spellingsOf } from '../../../src/domain/reference-form.ts';
import { batchClaim, payoutClaim, SENT_PAYMENT } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

const HOUR_MS = 3_600_000;
const SENT_AT = 100 * HOUR_MS;
const WINDOW_MS = quickSettings.terms.waits.lateCommitMs + quickSettings.terms.waits.listLagMs;
const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const payment = (order_id: string, more: Record<string, unknown> = {}): Order =>
  orderSchema.parse({
    ...{ order_id, status: 'COMPLETED', type: 'PAYMENT', direct: 'OUT', transaction_uid: 'user-1' },
    ...{ transaction_account: 'acc-1', transaction_currency: 'USD', transaction_amount: '10.50' },
    ...more,
  });

/** The first row of a batch, whose answer was lost, at a bank whose list shows what it is configured to. */
async function lost({
  others = [],
  apart = false,
  answer = 'ambiguous',
}: {
  others?: readonly string[];
  apart?: boolean;
  answer?: 'ambiguous' | 'refused' | 'not-sent';
} = {}) {
  const store = await newStore();
  const ids = ['lost', ...others];
  await store.claimBatch(batchClaim('batch-1', apart ? ['lost'] : ids));
  if (apart) await store.claimBatch(batchClaim('batch-2', others));
  const references = ids.map((id) => payoutClaim(id).reference);
  await store.markReleased(references, SENT_AT);
  const { record } = await store.claimPayout(payoutClaim('lost', { runId: CALLER.runId }));
  const { reference, term } = record;
  await store.recordAssessment(record, { digest: 'd', approvalsNeeded: 0, fee: '1.50', feeCurrency: 'USD' }, SENT_AT);
  const attempt = { attempt: 1, runId: 'run-1', activityId: '1', sentAt: SENT_AT, request: SENT_PAYMENT };
  await store.recordAttempt({ ...attempt, reference });
  await store.finishAttempt(reference, 1, { outcome: answer });
  for (const [index, other] of references.slice(1).entries()) {
    await store.recordAttempt({ ...attempt, reference: other });
    await store.finishAttempt(other, 1, { outcome: 'accepted', orderId: `other-${index + 1}` });
    await store.changePayout(other, { state: 'completed', orderId: `other-${index + 1}`, at: SENT_AT });
  }
  const asked: number[] = [];
  const byId = new Map<string, Order>();
  const get = async (orderId: string) => byId.get(orderId) ?? Promise.reject(envelopeError(2005, { operation: 'GET' }));
  const find = (
    shown: readonly Order[],
    at = SENT_AT + WINDOW_MS,
    mayProve = at >= SENT_AT + WINDOW_MS,
    placedIds: readonly string[] = [],
    doubt?: ListDoubt,
  ) => {
    const listStable = async ({ from }: { from: number }) => {
      asked.push(from);
      return { orders: [...shown], stable: doubt === undefined, doubt, pagesRead: 1 };
    };
    const bank = { clock: UNMEASURED_CLOCK, orders: { listStable, get } } as unknown as ActivityDeps['bank'];
    const reads = { store, settings: quickSettings, bank, now: () => at };
    return findOrder(
      { ...reads, readList: listReader(reads), assertIdentity: async () => {} } as unknown as ActivityDeps,
      CALLER,
      { claim: { storeId: store.id, reference, term }, orderKind: 'payment', since: SENT_AT, mayProve, placedIds },
    );
  };
  return { find, record, reference, asked, store, byId };
}

const ALTERED = { kind: 'conflict', reason: 'reference-conflict', listed: [] };
const otherIn = (field: string) => ({
  ...{ kind: 'conflict', reason: 'reference-conflict', listed: ['x'] },
  shown: [{ orderId: 'x', differences: [field] }],
});

it.each([undefined, '-', 'cut'])(
  'a list with an order for the same money under %s proves no absence',
  async (shown) => {
    const { find, reference } = await lost();
    const order = payment('x', { client_order_id: shown === 'cut' ? reference.slice(0, 12) : shown });
    expect(await find([order])).toMatchObject({ kind: 'nothing', doubt: 'indistinct' });
  },
);

it('an order in the learned spelling of the reference is found as sent, in any other form it is for people', async () => {
  const { find, reference, store } = await lost();
  const other = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';
  const shown = { client_order_id: reference.toUpperCase() };
  expect(await find([payment('x', shown)])).toMatchObject(ALTERED);
  await store.narrowReferenceSpellings(spellingsOf(other, other.toUpperCase()));
  expect(await find([payment('x', shown)])).toMatchObject({ kind: 'found', orderId: 'x' });
  expect(await find([payment('x', { ...shown, transaction_amount: '11.00' })])).toMatchObject(
    otherIn('transaction_amount'),
  );
  expect(await find([payment('x', { client_order_id: reference.slice(0, 20) })])).toMatchObject(ALTERED);
});

it.each(['refused', 'not-sent'] as const)(
  'an order that the bank has executed after all, %s, is compared with what it was asked for',
  async (answer) => {
    const { find, record, reference, store } = await lost({ answer });
    const since = { digest: 'e', approvalsNeeded: 0, payingAccountId: 'acc-2' };
    await store.recordAssessment(record, since, SENT_AT);
    const shown = { client_order_id: reference };
    expect(await find([payment('x', shown)])).toMatchObject({ kind: 'found', orderId: 'x' });
    expect(await find([payment('x', { ...shown, transaction_account: 'acc-2' })])).toMatchObject(
      otherIn('transaction_account'),
    );
  },
);

it('a list in doubt proves no absence, and what it shows is returned', async () => {
  const { find } = await lost();
  expect(await find([], undefined, undefined, [], 'orders of another user')).toMatchObject({
    doubt: 'orders of another user',
  });
});

it.each([
  ['includes the fee that was quoted', { transaction_amount: '12.00' }, []],
  ['includes another fee than was quoted', { transaction_amount: '13.25' }, ['transaction_amount']],
  ['lacks a fee that is not shown', { transaction_amount: '9.00' }, ['transaction_amount']],
  [
    'lacks the fee that is shown',
    { transaction_amount: '9.00', fee: '1.50', fee_currency: 'USD' },
    ['transaction_amount'],
  ],
])('nor does a list with one whose amount %s', async (_which, more, differs) => {
  const { find } = await lost();
  const shown = [{ orderId: 'x', differences: ['client_order_id', ...differs] }];
  expect(await find([payment('x', more)])).toMatchObject({ kind: 'nothing', doubt: 'indistinct', shown });
});

it.each([{ type: 'payment', direct: 'out', transaction_currency: 'usd' }, { type: 'PAYOUT' }, { direct: 'DEBIT' }])(
  'nor does a list with one that says so in the words %j',
  async (words) => {
    const { find } = await lost();
    expect(await find([payment('x', words)])).toMatchObject({ kind: 'nothing', doubt: 'indistinct' });
  },
);

it.each([
  ['shows a reference of its own', { client_order_id: 'theirs' }],
  ['is of another amount', { transaction_amount: '10.51', fee: '0', fee_currency: 'USD' }],
  ['is of more than twice the amount', { transaction_amount: '21.01' }],
  ['has its fee in another currency', { transaction_amount: '10.51', fee: '1', fee_currency: 'EUR' }],
  ['is of another account', { transaction_account: 'acc-2' }],
  ['came in', { direct: 'IN' }],
  ['is a transfer', { type: 'TRANSFER' }],
])('an order that %s is not taken for it', async (_which, more) => {
  const { find } = await lost();
  expect(await find([payment('x', more)])).toMatchObject({ kind: 'nothing', doubt: undefined, shown: [] });
});

it('an order that is known as the one of another payout is not taken for it', async () => {
  const { find } = await lost({ others: ['other'] });
  expect(await find([payment('other-1')])).toMatchObject({ kind: 'nothing', doubt: undefined });
});

it('a list that lacks an order of the same batch, accepted since, proves no absence', async () => {
  const { find } = await lost({ others: ['other', 'another'] });
  const [first, second] = [payment('other-1'), payment('other-2')];
  expect(await find([first, second])).toMatchObject({ doubt: undefined });
  expect(await find([first])).toMatchObject({ doubt: 'incomplete' });
});

it('a list that lacks an order of another batch, accepted since, proves no absence of a single row', async () => {
  const { find } = await lost({ others: ['other'], apart: true });
  expect(await find([payment('other-1')])).toMatchObject({ doubt: undefined });
  expect(await find([])).toMatchObject({ doubt: 'incomplete' });
});

it('a list that lacks an open order, accepted long before, proves no absence', async () => {
  const { find, store } = await lost({ others: ['other'] });
  const { reference: other } = payoutClaim('other');
  await store.changePayout(other, { state: 'processing', at: SENT_AT });
  expect(await find([], SENT_AT + 99 * HOUR_MS, true)).toMatchObject({ doubt: 'incomplete' });
  expect(await find([payment('other-1')], SENT_AT + 99 * HOUR_MS, true)).toMatchObject({ doubt: undefined });
  const renumbered = payment('other-9', { client_order_id: other });
  expect(await find([renumbered], SENT_AT + 99 * HOUR_MS, true)).toMatchObject({ doubt: undefined });
  const failed = { ...renumbered, status: 'FAILED', stage: 'failed' as const };
  expect(await find([failed], SENT_AT + 99 * HOUR_MS, true)).toMatchObject({ doubt: 'incomplete' });
  const returned = payment('other-9', { client_order_id: other, type: 'REFUND', direct: 'IN' });
  expect(await find([returned], SENT_AT + 99 * HOUR_MS, true)).toMatchObject({ doubt: 'incomplete' });
});

it('a list from before another lost payment was sent again proves absence, and no later one that lacks its order', async () => {
  const { find, store, byId } = await lost();
  await store.claimBatch(batchClaim('batch-2', ['other']));
  const { reference: other } = payoutClaim('other');
  await store.markReleased([other], SENT_AT);
  const at = SENT_AT + WINDOW_MS;
  const attempt = { runId: 'run-2', activityId: '1', request: SENT_PAYMENT, reference: other };
  await store.recordAttempt({ ...attempt, attempt: 1, sentAt: SENT_AT });
  await store.finishAttempt(other, 1, { outcome: 'ambiguous' });
  await store.recordAttempt({ ...attempt, attempt: 2, sentAt: at - 1 });
  await store.finishAttempt(other, 2, { outcome: 'accepted', orderId: 'other-2' });
  await store.changePayout(other, { state: 'processing', orderId: 'other-2', at });
  const watched = {
    uid: 'user-1',
    currencies: ['USD'],
    workflowId: payoutWorkflowId(other),
    since: SENT_AT,
    at: SENT_AT,
  };
  await store.openOrder({ ...watched, reference: other, listedSince: 0, watchAliveSince: 0 });
  await store.noteOrder(other, { orderId: 'other-2' });
  byId.set('other-2', payment('other-2', { client_order_id: other, status: 'PROCESSING', stage: 'past-audit' }));
  expect(await find([])).toMatchObject({ kind: 'nothing', doubt: undefined });
  const listed = at + quickSettings.terms.waits.listLagMs;
  expect(await find([], listed)).toMatchObject({ doubt: 'incomplete' });
  expect(await find([payment('other-2')], listed)).toMatchObject({ doubt: undefined });
});

it('an order that may not be listed yet is not missed', async () => {
  const { find } = await lost({ others: ['other'] });
  expect(await find([], SENT_AT + WINDOW_MS - 1)).toMatchObject({ doubt: undefined });
});

it('a read that may prove absence is one by the clock of the run, however far the worker is behind', async () => {
  const { find, asked } = await lost({ others: ['other'] });
  const behind = SENT_AT + WINDOW_MS - 500;
  expect(await find([], behind, true)).toMatchObject({ doubt: 'incomplete' });
  expect(asked).toEqual([0]);
});

it('a read that may prove absence covers the whole list', async () => {
  const { find, asked } = await lost();
  await find([], SENT_AT + WINDOW_MS - 1);
  await find([]);
  expect(asked).toEqual([SENT_AT - quickSettings.clockSkewMs, 0]);
});

it('of two orders with one id, the one that carries the reference is ours', async () => {
  const { find, reference } = await lost({ others: ['other'] });
  const others = payment('shared', { client_order_id: payoutClaim('other').reference });
  const own = payment('shared', { client_order_id: reference.toUpperCase() });
  expect(await find([others, own], SENT_AT, false, ['shared'])).toMatchObject({ kind: 'found', orderId: 'shared' });
});

it('an order that an earlier run has followed stays one of its own, though no list shows it', async () => {
  const { find, reference, store } = await lost();
  await store.changePayout(reference, { state: 'processing', orderId: 'followed', at: SENT_AT });
  expect(await find([])).toMatchObject({ kind: 'nothing', isOurs: true });
});

const DUPLICATE = { kind: 'conflict', reason: 'duplicate-suspected' };

it('an order under the reference is the one that was accepted if nothing shows that one any more', async () => {
  const { find, reference } = await lost();
  const shown = { client_order_id: reference };
  const renumbered = payment('new', shown);
  const found = { kind: 'found', orderId: 'new', insteadOf: 'first' };
  expect(await find([renumbered], undefined, undefined, ['first'])).toMatchObject(found);
  expect(await find([renumbered], undefined, undefined, ['first', 'new'])).toMatchObject(found);
  for (const orders of [
    [renumbered, payment('first', shown)],
    [renumbered, payment('second', shown)],
    [payment('new', { ...shown, transaction_amount: '11.00' })],
    [renumbered, payment('cut', { client_order_id: reference.slice(0, 20) })],
  ]) {
    expect(await find(orders, undefined, undefined, ['first'])).toMatchObject(DUPLICATE);
  }
});

it('without a proof that nothing shows it, or after a second attempt, it is for people', async () => {
  const { find, reference, store } = await lost();
  const renumbered = payment('new', { client_order_id: reference });
  expect(await find([renumbered], undefined, false, ['first'])).toMatchObject(DUPLICATE);
  expect(await find([renumbered], undefined, undefined, ['first'], 'orders of another user')).toMatchObject(DUPLICATE);
  const again = { runId: 'run-1', activityId: '2', sentAt: SENT_AT, request: SENT_PAYMENT };
  await store.recordAttempt({ ...again, reference, attempt: 2 });
  expect(await find([renumbered], undefined, undefined, ['first'])).toMatchObject(DUPLICATE);
});

it('an id that was returned for another order too is not taken for that of this one', async () => {
  const { find, reference, byId } = await lost({ others: ['other'] });
  const others = payment('other-1', { client_order_id: payoutClaim('other').reference });
  byId.set('other-1', others);
  const own = payment('x', { client_order_id: reference });
  const found = await find([others, own], undefined, undefined, ['other-1']);
  expect(found).toMatchObject({ kind: 'found', orderId: 'x' });
  expect(found).not.toHaveProperty('insteadOf');
  // What the bank has accepted may be this order: nothing is sent again, and two people may find out.
  const nothing = { kind: 'nothing', isOurs: false, doubt: 'id-of-another' };
  expect(await find([others], undefined, undefined, ['other-1'])).toMatchObject(nothing);
  expect(await find([others], undefined, undefined, ['other-1', 'own-1'])).toMatchObject({ isOurs: true });
});
