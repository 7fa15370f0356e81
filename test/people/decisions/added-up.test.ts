import { beforeEach, describe, expect, it } from 'vitest';
import { assess } from '../../../src/activities/assess.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import type { OrderKind } from '../../../src/domain/names.ts';
import type { Store } from '../../../src/store/store.ts';
import { instruction, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const HOUR = 3_600_000;
const maker = signingPerson('maker', ['maker']);
const [bob, carol] = [signingPerson('bob', ['approver']), signingPerson('carol', ['approver'])];
const PEOPLE = [maker, bob, carol];

let store: Store;
let posted: string[];

beforeEach(async () => {
  store = await newStore();
  posted = [];
});

const takes = (name: string) => async () => {
  posted.push(name);
  return { order_id: `ord-${posted.length}` };
};

function depsOf(policy: Policy, now: () => number = Date.now) {
  const transactions = { payment: takes('payment'), fx: takes('fx') };
  return sendingDeps(transactions, { policy, referenceDedupe: 'assumed' }, { store, now });
}

/** A payout in the maker's name: what it asks when it is read, and a try to send one of its orders. */
async function payoutOf(id: string, fields: Partial<PayoutInstruction>) {
  const asked = instruction(id, fields);
  const { record } = await store.claimPayout(payoutClaim(id, { by: 'maker', runId: CALLER.runId, instruction: asked }));
  const claim = { storeId: store.id, reference: record.reference, term: record.term };
  let attempt = 0;
  return {
    read: (policy: Policy, now?: () => number) =>
      assess({ ...depsOf(policy, now), readList: async () => ({}) as never }, CALLER, {
        ...{ claim, exchanged: false, exchangeSent: false },
      }),
    send(policy: Policy, orderKind: OrderKind = 'payment', now?: () => number) {
      attempt += 1;
      return sendOrder(depsOf(policy, now), CALLER, { claim, orderKind, attempt, lastLeft: attempt - 1 });
    },
    sign: async (digest: string) => {
      const about = { storeId: store.id, question: 'payout', reference: record.reference, digest } as const;
      for (const person of [bob, carol]) await store.takeSignedDecision(signedBy(person, about), Date.now());
    },
  };
}

const SENT = { outcome: 'accepted' };
const CHANGED = { outcome: 'not-sent', why: 'changed' };

describe('a rule that adds up', () => {
  const SPLIT = policyOf(PEOPLE, {
    approvals: [{ currency: 'USD', amountAtLeast: '10000', per: 'payee', approvals: 2 }],
  });

  it('asks for the second of two payouts that together reach its amount, and not for the first', async () => {
    const first = await payoutOf('1', { amount: '9999.99' });
    const second = await payoutOf('2', { amount: '9999.99' });
    // Both were read while nothing was sent.
    for (const { read } of [first, second]) expect(await read(SPLIT)).toMatchObject({ approvalsNeeded: 0 });
    expect(await first.send(SPLIT)).toMatchObject(SENT);
    expect(await second.send(SPLIT)).toEqual(CHANGED);
    const { digest, approvalsNeeded } = await second.read(SPLIT);
    expect(approvalsNeeded).toBe(2);
    await second.sign(digest);
    expect(await second.send(SPLIT)).toMatchObject(SENT);
  });

  it('lets two that are sent at once not both pass', async () => {
    const both = [await payoutOf('1', { amount: '9999.99' }), await payoutOf('2', { amount: '9999.99' })];
    const results = await Promise.all(both.map(({ send }) => send(SPLIT)));
    expect(results.filter(({ outcome }) => outcome === 'accepted').length).toBeLessThan(2);
    expect(posted.length).toBeLessThan(2);
  });

  it('counts no other payee, and nothing from before its hours', async () => {
    const sent = await payoutOf('1', { amount: '9999.99' });
    expect(await sent.send(SPLIT)).toMatchObject(SENT);
    const other = await payoutOf('2', { amount: '9999.99', beneficiary_id: 'ben-2' });
    expect(await other.send(SPLIT)).toMatchObject(SENT);
    const later = await payoutOf('3', { amount: '9999.99' });
    expect(await later.read(SPLIT, () => Date.now() + 23 * HOUR)).toMatchObject({ approvalsNeeded: 2 });
    expect(await later.read(SPLIT, () => Date.now() + 25 * HOUR)).toMatchObject({ approvalsNeeded: 0 });
    const ofAWeek = policyOf(PEOPLE, { approvals: SPLIT.approvals.map((rule) => ({ ...rule, hours: 168 })) });
    expect(await later.read(ofAWeek, () => Date.now() + 25 * HOUR)).toMatchObject({ approvalsNeeded: 2 });
  });
});

describe('a payout from an account in another currency', () => {
  const FROM_EUR = { account_id: 'acc-eur', amount: '100.00' };

  it('is not sent for a maker whose scope does not hold what it sells', async () => {
    const limited = policyOf([{ ...maker, scope: { currencies: ['USD'] } }, bob, carol]);
    const { read, send } = await payoutOf('1', FROM_EUR);
    expect(await read(limited)).toMatchObject({ makerNotAllowed: true, soldCurrency: 'EUR' });
    for (const orderKind of ['exchange', 'payment'] as const) expect(await send(limited, orderKind)).toEqual(CHANGED);
    expect(await send(policyOf(PEOPLE), 'exchange')).toMatchObject(SENT);
  });

  it('is not sent for a maker whose scope does not hold the account that pays', async () => {
    const limited = policyOf([{ ...maker, scope: { accounts: ['acc-eur'] } }, bob, carol]);
    const { read, send } = await payoutOf('1', FROM_EUR);
    expect(await read(limited)).toMatchObject({ makerNotAllowed: true });
    expect(await send(limited, 'exchange')).toEqual(CHANGED);
    const both = policyOf([{ ...maker, scope: { accounts: ['acc-eur', 'acc-1'] } }, bob, carol]);
    expect(await send(both, 'exchange')).toMatchObject(SENT);
  });

  it('counts by approvers whose scope holds what it sells alone', async () => {
    const approvals = [{ approvals: 2 }];
    const limited = policyOf([maker, bob, { ...carol, scope: { currencies: ['USD'] } }], { approvals });
    const { read, send, sign } = await payoutOf('1', FROM_EUR);
    await sign((await read(limited)).digest);
    expect(await send(limited, 'exchange')).toEqual(CHANGED);
    expect(await send(policyOf(PEOPLE, { approvals }), 'exchange')).toMatchObject(SENT);
  });

  it('counts for the limit of what it sells', async () => {
    const policy = policyOf(PEOPLE, { limits: [{ per: 'day', currency: 'EUR', amount: '100' }] });
    const first = await payoutOf('1', FROM_EUR);
    expect(await first.send(policy, 'exchange')).toMatchObject(SENT);
    expect(await first.send(policy, 'payment')).toMatchObject(SENT);
    const second = await payoutOf('2', FROM_EUR);
    expect(await second.read(policy)).toMatchObject({ limit: '100 EUR per day, within 24 h' });
    expect(await second.send(policy, 'exchange')).toEqual(CHANGED);
  });
});

it('a limit counts over as many hours as it says', async () => {
  const policy = policyOf(PEOPLE, { limits: [{ per: 'payee', currency: 'USD', amount: '15', hours: 168 }] });
  expect(await (await payoutOf('1', {})).send(policy)).toMatchObject(SENT);
  const second = await payoutOf('2', {});
  const days = (n: number) => () => Date.now() + n * 24 * HOUR;
  expect(await second.read(policy, days(6))).toMatchObject({ limit: '15 USD per payee, within 168 h' });
  expect(await second.read(policy, days(8))).not.toHaveProperty('limit', expect.anything());
});
