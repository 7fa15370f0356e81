import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { createActivities } from '../../../src/activities/index.ts';
import { listReader } from '../../../src/activities/lists.ts';
import { createBank } from '../../../src/bank/client.ts';
import { namedPayee, payeeReference } from '../../../src/bank/payee-lists.ts';
import { FAILURES } from '../../../src/domain/failures.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import {
  mainOrderKindOf,
  type OrderKind,
  orderKindsOf,
  type PayoutKind,
  payoutWorkflowId,
} from '../../../src/domain/names.ts';
import { checkInstruction } from '../../../src/files/rules/check-instruction.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { SANDBOX_KEY, SANDBOX_SECRET } from '../../../src/sandbox/start-sandbox.ts';
import { runningSandbox } from '../../sandbox/running-sandbox.ts';
import { activityEnvironment } from '../../support/activity.ts';
import { newStore } from '../../support/empty-store.ts';
import { LOST_ANSWERS } from '../../support/lost-answers.ts';
import { PAYEE_FIELDS } from '../../support/payee.ts';
import { limitsPass, watchLimits } from '../../support/time-limit.ts';
import { until } from '../../support/until.ts';

/**
 * Every POST of a payout under every fault of the failure table: what the bank has done is in doubt unless it is known to be
 * nothing, and sent again after the proof window it is done once. What a workflow makes of that:
 * `test/workflows/lost-answers.test.ts`.
 */

const { settings } = loadConfig({});
const { lateCommitMs, listLagMs } = settings.terms.waits;
const PROOF_WINDOW_MS = lateCommitMs + listLagMs;
/** Longer than an order takes from one status to its end. */
const SETTLE_MS = 60_000;
const HOUR_MS = 3_600_000;

const PAYMENT: PayoutInstruction = {
  id: 'lost',
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  amount: '12.50',
  currency: 'USD',
  beneficiary_id: 'ben-u1001-usd-local',
};
const NEW_PAYEE = { ...PAYMENT, ...PAYEE_FIELDS, beneficiary_id: undefined, account_no: '123456789' };

type Row = Awaited<ReturnType<typeof claimedRow>>;

/** A row whose run has taken its claim and read the bank once, in a world where time moves on request. */
async function claimedRow(instruction: PayoutInstruction, kind: PayoutKind = 'payout') {
  const it = await runningSandbox();
  await it.proxy('POST', '/accounts', {
    uid: 'u-1001',
    currency: 'USD',
    account_id: 'acc-u1001-usd-2',
    balance: '1.00',
  });
  const store = await newStore();
  const bank = createBank({ baseUrl: it.sandbox.url, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  onTestFinished(() => bank.close());
  const { now } = it.sandbox.clock;
  const executions = { wakeWatch: async () => {} } as Partial<ActivityDeps['executions']> as ActivityDeps['executions'];
  const reads = { bank, store, settings, now };
  const deps: ActivityDeps = {
    ...reads,
    readList: listReader(reads),
    executions,
    checkInstruction,
    assertIdentity: async () => {},
  };
  const activities = createActivities(deps);
  const reference = referenceOf(instruction.uid, instruction.id, mainOrderKindOf(kind));
  const workflowExecution = { workflowId: payoutWorkflowId(reference, kind), runId: 'run-1' };
  const run = <Input, Result>(activity: (input: Input) => Promise<Result>, input: Input): Promise<Result> =>
    activityEnvironment({ workflowExecution }).run(activity as never, input) as Promise<Result>;
  const input = Object.fromEntries(Object.entries(instruction).filter(([, value]) => value !== undefined));
  const prepared = await run(activities.prepare, { input: input as unknown as PayoutInstruction, kind });
  if (prepared.kind !== 'ready') throw new Error(`the row is ${prepared.kind}`);
  const { claim } = prepared;
  const ordersUnder = async (orderReference: string): Promise<Record<string, string>[]> => {
    const { orders } = (await it.proxy('GET', '/state')) as { orders: Record<string, string>[] };
    return orders.filter(({ client_order_id }) => client_order_id === orderReference);
  };
  return { ...it, bank, store, activities, run, reference, claim, instruction, ordersUnder };
}

interface Sending {
  what: string;
  operation: string;
  row(): Promise<Row>;
  /** One POST at most. */
  send(row: Row, attempt: number): Promise<unknown>;
  /** Under which its attempts are recorded. */
  key(row: Row): Promise<string>;
  /** How often the bank has done it. */
  done(row: Row): Promise<number>;
  /** Its answer has no data in any case. */
  isBare?: true;
}

function order(orderKind: OrderKind, operation: string, instruction: PayoutInstruction, kind?: PayoutKind): Sending {
  const key = referenceOf(instruction.uid, instruction.id, orderKind);
  const submit = ({ activities }: Row) =>
    ({ payment: activities.submitPayment, transfer: activities.submitTransfer, exchange: activities.submitExchange })[
      orderKind
    ];
  return {
    what: kind === 'exchange' ? 'the exchange by itself' : `the ${orderKind}`,
    operation,
    row: () => claimedRow(instruction, kind),
    async send(row, attempt) {
      const { activities, claim } = row;
      // Reads the bank's lists, without which nothing is sent again.
      if (attempt > 1) await row.run(activities.assess, { claim, exchanged: false, exchangeSent: false });
      return row.run(submit(row), { claim, attempt, lastLeft: attempt - 1 });
    },
    key: async () => key,
    done: async ({ ordersUnder }) => (await ordersUnder(key)).length,
  };
}

/** A decision about an order that waits in the bank's audit. */
function decision(action: 'approve' | 'reject'): Sending {
  const audited = async ({ ordersUnder, reference }: Row) => {
    const [placed, ...others] = await ordersUnder(reference);
    if (placed === undefined || others.length > 0) throw new Error('one order was placed');
    return placed;
  };
  return {
    what: action === 'approve' ? 'the approval' : 'the rejection',
    operation: `orders.${action}`,
    async row() {
      const row = await claimedRow({ ...PAYMENT, note: 'sandbox:audit' });
      await row.run(row.activities.submitPayment, { claim: row.claim, attempt: 1, lastLeft: 0 });
      row.sandbox.clock.advance(SETTLE_MS);
      expect(await audited(row)).toMatchObject({ status: 'WAIT_FOR_AUDIT' });
      return row;
    },
    async send(row) {
      const { order_id: orderId = '' } = await audited(row);
      const { claim, activities } = row;
      const given = { claim, orderKind: 'payment', orderId, by: 'alice', remark: 'not ours' } as const;
      return row.run(action === 'approve' ? activities.approveOrder : activities.rejectOrder, given);
    },
    key: async (row) => `${action}/${(await audited(row)).order_id}`,
    async done(row) {
      const { status = '' } = await audited(row);
      if (status === 'WAIT_FOR_AUDIT') return 0;
      expect(status.startsWith('REJECT')).toBe(action === 'reject');
      return 1;
    },
    isBare: true,
  };
}

const SENDINGS: readonly Sending[] = [
  {
    what: 'the beneficiary',
    operation: 'beneficiaries.add',
    row: () => claimedRow(NEW_PAYEE),
    send: (row) => row.run(row.activities.addBeneficiary, { claim: row.claim }),
    async key({ bank, instruction }) {
      return payeeReference(await namedPayee(bank, instruction));
    },
    async done({ bank }) {
      const { beneficiaries } = await bank.beneficiaries.listAll({ uid: 'u-1001', currency: 'USD' });
      return beneficiaries.filter(({ items }) => items.account_no === NEW_PAYEE.account_no).length;
    },
  },
  order('exchange', 'transactions.fx', { ...PAYMENT, account_id: 'acc-u1001-eur' }),
  order('payment', 'transactions.payment', PAYMENT),
  order('transfer', 'transactions.transfer', ownMove('acc-u1001-usd', 'acc-u1001-usd-2'), 'transfer'),
  order('exchange', 'transactions.fx', ownMove('acc-u1001-eur', 'acc-u1001-usd'), 'exchange'),
  decision('approve'),
  decision('reject'),
];

function ownMove(from: string, to: string): PayoutInstruction {
  return { id: 'lost', uid: 'u-1001', account_id: from, to_account_id: to, amount: '12.50', currency: 'USD' };
}

it('the orders are all that a row of any kind sends', () => {
  const kinds = ['payout', 'transfer', 'exchange'] as const;
  const orderKinds = kinds.flatMap((kind) => orderKindsOf(kind).map((orderKind) => `${kind} ${orderKind}`));
  expect(orderKinds.toSorted()).toEqual([
    'exchange exchange',
    'payout exchange',
    'payout payment',
    'transfer transfer',
  ]);
});

describe.each(SENDINGS)('the answer about $what is lost', ({ operation, row: claimed, send, key, done, isBare }) => {
  it.each(LOST_ANSWERS)('$name', async ({ fault, bank, outcome }) => {
    const row = await claimed();
    await row.proxy('POST', '/faults', { operation, ...fault });
    const answered = isSlow(fault)
      ? await givenUp(
          () => send(row, 1),
          () => done(row),
        )
      : await send(row, 1);
    const { faults } = await row.proxy('GET', '/faults');
    expect(faults, `answered ${JSON.stringify(answered)}`).toMatchObject([{ fired: 1 }]);

    const isAnswered = isBare === true && fault.form === 'no-data';
    const outcomes = async () => (await row.store.attempts(await key(row))).map((attempt) => attempt.outcome);
    expect(await outcomes()).toEqual([isAnswered ? 'accepted' : outcome]);
    expect(await done(row)).toBe(bank === 'done' ? 1 : 0);

    row.sandbox.clock.advance(PROOF_WINDOW_MS);
    expect(await done(row)).toBe(bank === 'nothing' ? 0 : 1);
    // The read before it shows an order that the first attempt has made; then nothing is sent, and the run searches again.
    await send(row, 2).catch((error: unknown) => expect(error).toMatchObject({ type: FAILURES.superseded }));
    row.sandbox.clock.advance(SETTLE_MS);
    expect(await done(row)).toBe(1);
    expect(row.sandbox.checkConservation()).toMatchObject({ ok: true });
  });
});

describe.each([decision('approve'), decision('reject')])('$what of an order that waited for days', (decided) => {
  it.each([
    ['accepted', undefined],
    ['lost', 'drop-after'],
  ])('is followed as a young order is, with its answer %s', async (_, kind) => {
    const row = await decided.row();
    const { clock } = row.sandbox;
    clock.advance(30 * HOUR_MS);
    await row.store.noteOrder(row.reference, { nextReadAt: clock.now() + 3 * HOUR_MS });
    if (kind !== undefined) await row.proxy('POST', '/faults', { operation: decided.operation, kind });
    const decidedAt = clock.now();
    await decided.send(row, 1);
    const [open] = await row.store.openOrders({ uid: 'u-1001', currency: 'USD' });
    expect(open).toMatchObject({ reference: row.reference, nextReadAt: null });
    expect(open?.openedAt).toBeGreaterThanOrEqual(decidedAt);
  });
});

const isSlow = ({ kind }: { kind: string }): boolean => ['delay-after', 'slow-after'].includes(kind);

/** The client's limit passes once the bank has done what it was asked, by no clock. */
async function givenUp(send: () => Promise<unknown>, done: () => Promise<number>): Promise<unknown> {
  watchLimits();
  const sending = send();
  await until(async () => (await done()) === 1);
  limitsPass();
  return sending;
}
