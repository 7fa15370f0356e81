import { beforeEach, describe, expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import type { Assessment } from '../../../src/domain/gates.ts';
import { payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import { mainOrderKindOf, type OrderKind, type PayoutKind, payoutWorkflowId } from '../../../src/domain/names.ts';
import type { Store, WatchKey } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const own = { uid: 'u-1', currency: 'USD' };
const TRANSFER = { digest: 'd', approvalsNeeded: 0, transfer: { source: own, destination: own } };
const PLAN = {
  sellAccountId: 'from',
  buyAccountId: 'to',
  buyAmount: '5.00',
  buyCurrency: 'USD',
  sellCurrency: 'EUR',
  quotedSellAmount: '4.60',
  buysWhatWasAsked: true,
};
const EXCHANGE = { digest: 'd', approvalsNeeded: 0, exchange: PLAN };

let store: Store;
let sent: { operation: string; body: unknown }[];
let woken: string[];

beforeEach(async () => {
  store = await newStore();
  [sent, woken] = [[], []];
});

/** A bank that takes all that it is sent. */
const takes = (operation: string) => async (body: unknown) => {
  sent.push({ operation, body });
  return { order_id: 'ord-1' };
};
/** Claims a row of a kind as it was last read, and asks for one of its orders. */
async function send(
  kind: PayoutKind,
  orderKind: OrderKind,
  assessed: Assessment,
  { acrossUsers = false, approvals = 0 } = {},
) {
  const instruction = { id: 'r', uid: 'u-1', account_id: 'from', to_account_id: 'to', amount: '5.00', currency: 'USD' };
  const reference = referenceOf('u-1', 'r', mainOrderKindOf(kind));
  const { record } = await store.claimPayout({
    reference,
    workflowId: payoutWorkflowId(reference, kind),
    instruction: { ...instruction, note: 'rent' },
    payloadDigest: payloadDigest(instruction),
    generation: 0,
    kind,
    by: null,
    runId: CALLER.runId,
    derivedReferences: [],
    at: 1,
  });
  await store.recordAssessment(record, assessed, 1);
  const executions = {
    wakeWatch: async ({ uid, currency }: WatchKey) => void woken.push(`${uid} ${currency}`),
  } as unknown as ActivityDeps['executions'];
  const settings = {
    policy: undefined,
    referenceDedupe: 'assumed',
    transferAcrossUsers: acrossUsers,
    approvalRules: approvals === 0 ? [] : [{ approvals }],
  } as const;
  const transactions = { payment: takes('payment'), transfer: takes('transfer'), fx: takes('fx') };
  const deps = sendingDeps(transactions, settings, { store, now: () => 1_000, executions });
  const claim = { storeId: store.id, reference, term: record.term };
  return { reference, result: await sendOrder(deps, CALLER, { claim, orderKind, attempt: 1, lastLeft: 0 }) };
}

const NOTHING_SENT = { outcome: 'not-sent', why: 'changed' };

describe('the sender of a transfer', () => {
  it('sends it between the accounts of the row, and puts it on the row', async () => {
    const { reference, result } = await send('transfer', 'transfer', TRANSFER);
    expect(result).toEqual({ outcome: 'accepted', orderId: 'ord-1' });
    const body = { source_account_id: 'from', destination_account_id: 'to', reference, amount: '5.00', note: 'rent' };
    expect(sent).toEqual([{ operation: 'transfer', body: { ...body, expired_at: 61_000 } }]);
    expect(await store.payout(reference)).toMatchObject({ state: 'processing', orderId: 'ord-1' });
    expect(woken).toEqual(['u-1 USD']);
  });

  it('watches the lists of both users', async () => {
    const theirs = { ...TRANSFER, transfer: { source: own, destination: { ...own, uid: 'u-2' } } };
    await send('transfer', 'transfer', theirs, { acrossUsers: true });
    expect(sent).toHaveLength(1);
    expect(woken).toEqual(['u-1 USD', 'u-2 USD']);
  });

  it.each<[string, Assessment]>([
    ['an account of another user', { ...TRANSFER, transfer: { source: own, destination: { ...own, uid: 'u-2' } } }],
    ['another currency', { ...TRANSFER, transfer: { source: own, destination: { ...own, currency: 'EUR' } } }],
    ['no accounts at all', { digest: 'd', approvalsNeeded: 0 }],
  ])('sends nothing when the row was last read with %s', async (_what, assessed) => {
    expect((await send('transfer', 'transfer', assessed)).result).toEqual(NOTHING_SENT);
    expect(sent).toEqual([]);
  });
});

it('counts the approvals that the rules ask now, not those stored', async () => {
  expect((await send('transfer', 'transfer', TRANSFER, { approvals: 1 })).result).toEqual(NOTHING_SENT);
  expect(sent).toEqual([]);
});

describe('the sender of an exchange by itself', () => {
  it('sends it with its note, and shows the row as one whose order is under way', async () => {
    const { reference, result } = await send('exchange', 'exchange', EXCHANGE);
    expect(result).toEqual({ outcome: 'accepted', orderId: 'ord-1' });
    const body = { sell_account: 'from', buy_account: 'to', amount: '5.00', currency: 'USD', reference, note: 'rent' };
    expect(sent).toMatchObject([{ operation: 'fx', body }]);
    expect(await store.payout(reference)).toMatchObject({ state: 'processing', orderId: 'ord-1' });
    expect(woken.toSorted()).toEqual(['u-1 EUR', 'u-1 USD']);
  });

  it.each([
    ['other accounts', { ...PLAN, buyAccountId: 'theirs' }],
    ['another amount', { ...PLAN, buyAmount: '50.00' }],
  ])('sends nothing when the plan names %s than the row', async (_what, exchange) => {
    expect((await send('exchange', 'exchange', { ...EXCHANGE, exchange })).result).toEqual(NOTHING_SENT);
    expect(sent).toEqual([]);
  });
});

it.each<[PayoutKind, OrderKind]>([
  ['payout', 'transfer'],
  ['transfer', 'payment'],
  ['transfer', 'exchange'],
  ['exchange', 'payment'],
  ['exchange', 'transfer'],
])('a row of kind %s sends no %s, for any caller', async (kind, orderKind) => {
  const everything = { ...TRANSFER, ...EXCHANGE, beneficiary: { known: true as const, id: 'b', digest: 'x' } };
  expect((await send(kind, orderKind, everything)).result).toEqual(NOTHING_SENT);
  expect(sent).toEqual([]);
});
