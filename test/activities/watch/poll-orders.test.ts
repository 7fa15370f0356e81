import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { type PollResult, pollOrders } from '../../../src/activities/watch.ts';
import type { Bank, OrderScan } from '../../../src/bank/bank.ts';
import { createBank } from '../../../src/bank/client.ts';
import { BankError } from '../../../src/bank/errors.ts';
import type { Order } from '../../../src/bank/schemas/orders.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../../src/domain/names.ts';
import type { OrderNotice } from '../../../src/domain/order-status.ts';
import type { Profile } from '../../../src/sandbox/bank/profile.ts';
import { type RunningSandbox, SANDBOX_KEY, SANDBOX_SECRET, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import type { Store } from '../../../src/store/store.ts';
import { openOrderRequest, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { DEFAULT_PAYMENT, quickSettings } from '../../support/product.ts';

const USD = { uid: 'u-1001', currency: 'USD' };
const { reference } = payoutClaim('doc');
const HOUR_MS = 3_600_000;

let sandbox: RunningSandbox;
let bank: Bank;
let store: Store;
/** The notifications of payouts. */
let notified: OrderNotice[];
let unasked: string[];
/** Orders of which runs were notified that they are paid. */
let ended: string[];
/** Order ids by the reference that they are the payment of. */
let answered: Map<string, string>;
let reads: number;
/** Orders read by id. */
let readById: string[];
/** What becomes of a list on its way, and of a single order. */
let list: (scan: OrderScan) => OrderScan;
let order: (shown: Order) => Order;

/** A bank that shows references in this form and makes a second order of a reference it has seen. */
async function openBank(references: Profile['references'], listLagMs = 0): Promise<void> {
  sandbox = await startSandbox({ file: ':memory:', profile: { references, dedupe: 'none', listLagMs } });
  bank = createBank({ baseUrl: sandbox.url, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  onTestFinished(async () => {
    await bank.close();
    await sandbox.close();
  });
}

beforeEach(async () => {
  store = await newStore();
  [notified, unasked, ended, reads, answered, readById] = [[], [], [], 0, new Map(), []];
  list = (scan) => scan;
  order = (shown) => shown;
});

const pay = async (under = reference): Promise<string> =>
  (await bank.transactions.payment({ ...DEFAULT_PAYMENT, reference: under })).order_id;

/** An order of the open set; `orderId`: what the bank has answered. */
async function open(
  orderId: string | undefined,
  change: { reference?: string; workflowId?: string; currencies?: string[]; at?: number } = {},
) {
  const under = change.reference ?? reference;
  const listedSince = Date.now() - quickSettings.listWindowMs;
  const known = { uid: 'u-1001', at: Date.now(), listedSince, watchAliveSince: 0 };
  await store.openOrder(openOrderRequest(under, { ...known, ...change }));
  if (orderId === undefined) return;
  answered.set(under, orderId);
  await store.noteOrder(under, { orderId });
}

/** The watch over payouts that end when they are notified that their order is completed. `everyRead` is called before each list. */
function watch(
  key: Parameters<typeof pollOrders>[2],
  everyRead: (read: number) => void = () => {},
  now = Date.now,
): Promise<PollResult> {
  const deps = {
    bank: {
      ...bank,
      orders: {
        ...bank.orders,
        listAll: async (...asked: Parameters<Bank['orders']['listAll']>) => {
          reads += 1;
          everyRead(reads);
          return list(await bank.orders.listAll(...asked));
        },
        get: async (...asked: Parameters<Bank['orders']['get']>) => {
          readById.push(asked[0]);
          return order(await bank.orders.get(...asked));
        },
      },
    },
    store: {
      ...store,
      recordUnaskedOrders: async (entries: readonly { orderId: string }[]) => {
        unasked.push(...entries.map(({ orderId }) => orderId));
        return entries.length;
      },
    },
    executions: {
      orderChanged: async (_workflowId: string, notice: OrderNotice) => {
        notified.push(notice);
        const own = answered.get(notice.reference) ?? notice.orderId;
        if (notice.status === 'COMPLETED' && notice.orderId === own) await store.closeOrder(notice.reference);
        return true;
      },
      awaitsEnd: async () => true,
      endOrder: async (_run: object, orderId: string) => ended.push(orderId) > 0,
    },
    settings: { ...quickSettings, listPollMs: 1, listPollMaxMs: 5 },
    now,
  } as unknown as ActivityDeps;
  return pollOrders(deps, { sleep: setTimeout, signal: new AbortController().signal, warn: () => {} }, key);
}

const settle = (): void => sandbox.clock.advance(60_000);

/** A test-only route of the sandbox. */
async function proxy(path: string, body: object = {}): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const url = `${sandbox.url}/__sandbox/${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
}

describe.each(['as-sent', 'upper-case', 'cut'] as const)('at a bank that shows references %s, the watch', (form) => {
  beforeEach(() => openBank(form));

  it('notifies a payout of the order whose id it knows, and of one whose answer is not here yet', async () => {
    const known = await pay();
    const other = payoutClaim('other').reference;
    const unknown = await pay(other);
    await open(known);
    await open(undefined, { reference: other });
    settle();
    expect(await watch(USD)).toMatchObject({ ended: true });
    expect(notified).toEqual([
      { reference: other, orderId: unknown, status: 'COMPLETED', stage: 'paid' },
      { reference, orderId: known, status: 'COMPLETED', stage: 'paid' },
    ]);
    expect(unasked).toEqual([]);
  });

  it.each([
    ['opened', null],
    ['opened, and put off,', 2 * HOUR_MS],
  ])('notifies of an order that was %s by a clock an hour ahead', async (_, putOffMs) => {
    const orderId = await pay();
    await open(orderId, { at: Date.now() + HOUR_MS });
    await store.noteOrder(reference, { nextReadAt: putOffMs && Date.now() + putOffMs });
    settle();
    expect(await watch(USD)).toMatchObject({ ended: true });
    expect(notified).toEqual([{ reference, orderId, status: 'COMPLETED', stage: 'paid' }]);
  });

  it('notifies of a second order once, and nobody of what came back', async () => {
    const own = await pay();
    await open(own);
    const second = await pay();
    await proxy(`orders/${own}/status`, { status: 'SUBMITTED', stay: true });
    settle();
    await proxy(`orders/${second}/refund`);
    const completed = Promise.withResolvers<void>();
    const ended = watch(USD, (read) => {
      if (read === 6) completed.resolve(proxy(`orders/${own}/status`, { status: 'COMPLETED' }));
    });
    await completed.promise;
    expect(await ended).toMatchObject({ ended: true });
    expect(notified.map(({ orderId }) => orderId)).toEqual([second, own]);
    expect(reads).toBe(6);
  });

  it('leaves an exchange to the watch of the currency bought, and speaks up when that one does not', async () => {
    const { order_id: orderId } = await bank.transactions.fx({
      sell_account: 'acc-u1001-usd',
      buy_account: 'acc-u1001-eur',
      amount: '5.00',
      currency: 'EUR',
      reference,
    });
    await open(orderId, { currencies: ['USD', 'EUR'] });
    settle();
    await watch(USD);
    const pollsOfSold = reads;
    expect(notified).toEqual([{ reference, orderId, status: 'COMPLETED', stage: 'paid' }]);
    await open(orderId, { currencies: ['USD', 'EUR'] });
    reads = 0;
    await watch({ ...USD, currency: 'EUR' });
    expect(notified).toHaveLength(2);
    expect(reads).toBeLessThan(pollsOfSold);
  });
});

it('measures how long a list lacks an order that the bank has accepted', async () => {
  await openBank('as-sent');
  await open(await pay(), { at: Date.now() - 10 });
  list = (scan) => (reads < 4 ? { ...scan, orders: [] } : scan);
  settle();
  await watch(USD);
  expect(await store.longestListLag()).toBeGreaterThanOrEqual(10);
  await store.noteListLag({ ...USD, lagMs: HOUR_MS });
  await store.noteListLag({ ...USD, lagMs: 5 });
  expect(await store.longestListLag()).toBe(HOUR_MS);
});

it('finds no lag in a list that shows an order, and then lacks it', async () => {
  await openBank('as-sent');
  await open(await pay());
  list = (scan) => (reads === 2 ? { ...scan, orders: [] } : scan);
  await watch(USD, (read) => read === 4 && settle());
  expect(await store.longestListLag()).toBeUndefined();
});

it('an order that the list does not show is looked up by its id', async () => {
  await openBank('as-sent', HOUR_MS);
  const orderId = await pay();
  await open(orderId, { at: Date.now() - quickSettings.terms.waits.listLagMs - 1 });
  settle();
  expect(await watch(USD)).toMatchObject({ ended: true });
  expect(notified).toEqual([{ reference, orderId, status: 'COMPLETED', stage: 'paid' }]);
});

describe('an order that no list shows for longer than the list lag is read by its id', () => {
  /** Within the window of the list. */
  const longAgo = () => ({ at: Date.now() - quickSettings.listWindowMs / 3 });
  const noAnswer = new BankError('no answer', { outcome: 'ambiguous', retryable: true, operation: 'list' });

  it.each<[string, typeof list]>([
    ['counts it and never shows it', () => ({ orders: [], stable: false, pagesRead: 1 })],
    [
      'is never answered',
      () => {
        throw noAnswer;
      },
    ],
  ])('if the list %s', async (_, broken) => {
    await openBank('as-sent');
    const orderId = await pay();
    await open(orderId, longAgo());
    settle();
    list = broken;
    expect(await watch(USD)).toMatchObject({ ended: true });
    expect(notified).toEqual([{ reference, orderId, status: 'COMPLETED', stage: 'paid' }]);
  });

  it('once in a tenth of its age, and not before its lag is over', async () => {
    const now = Date.now();
    await openBank('as-sent');
    const old = await pay();
    await proxy(`orders/${old}/status`, { status: 'SUBMITTED', stay: true });
    await open(old, longAgo());
    const young = payoutClaim('young').reference;
    await open(await pay(young), { reference: young, at: now });
    list = () => {
      if (reads === 30) throw new Error('enough');
      throw noAnswer;
    };
    await expect(watch(USD, undefined, () => now)).rejects.toThrow('enough');
    expect(readById).toEqual([old]);
  });

  it('and one that the bank does not find holds up no other', async () => {
    await openBank('as-sent');
    const gone = payoutClaim('gone').reference;
    await open('no-such-order', { reference: gone, at: longAgo().at - 1 });
    await open(await pay(), longAgo());
    settle();
    list = () => {
      // The one left open would keep the watch for ever.
      if (notified.length > 0) throw new Error('enough');
      throw noAnswer;
    };
    await expect(watch(USD)).rejects.toThrow('enough');
    expect(notified).toMatchObject([{ reference, status: 'COMPLETED' }]);
  });

  it('and none is while the list shows them', async () => {
    await openBank('as-sent');
    const orderId = await pay();
    await open(orderId, longAgo());
    const other = payoutClaim('other').reference;
    await open(await pay(other), { ...longAgo(), reference: other });
    await watch(USD, (read) => {
      if (read === 12) settle();
    });
    expect(notified).toHaveLength(2);
    expect(readById).toEqual([]);
  });
});

describe('at a bank that gives two orders one id', () => {
  const other = payoutClaim('other').reference;
  const completed = { status: 'COMPLETED', stage: 'paid' };
  let own: string;
  let second: string;

  /** Both payouts were given the id of the first order; `other` carries `shown`. */
  beforeEach(async () => {
    await openBank('as-sent');
    own = await pay();
    second = await pay(other);
    await open(own);
    await open(own, { reference: other, at: Date.now() + 1 });
    list = (scan) => ({ ...scan, orders: scan.orders.map((each) => ({ ...each, order_id: own })) });
  });

  it.each<[string, (shown: string | undefined) => string | undefined]>([
    ['as sent', (shown) => shown],
    ['in upper case', (shown) => shown?.toUpperCase()],
    ['cut', (shown) => shown?.slice(0, 20)],
  ])('each payout is notified of the one that carries its reference, %s', async (_, form) => {
    await proxy(`orders/${own}/status`, { status: 'WAIT_FOR_AUDIT', stay: true });
    settle();
    const shared = list;
    list = (scan) => ({
      ...scan,
      orders: shared(scan).orders.map((each) => ({ ...each, client_order_id: form(each.client_order_id) })),
    });
    const audited = { status: 'WAIT_FOR_AUDIT', stage: 'awaiting-audit' };
    await watch(USD, (read) => {
      if (read === 4) void proxy(`orders/${own}/status`, { status: 'COMPLETED' });
    });
    expect(notified.filter((notice) => notice.reference === other)).toEqual([
      { reference: other, orderId: own, ...completed },
    ]);
    expect(notified.filter((notice) => notice.reference === reference)).toEqual([
      { reference, orderId: own, ...audited },
      { reference, orderId: own, ...completed },
    ]);
    expect(second).not.toBe(own);
  });
});

it('an order that was sent again long after the first send is searched for in the list, as a new one is', async () => {
  await openBank('as-sent', 0);
  await open(undefined, { at: Date.now() - 2 * quickSettings.listWindowMs });
  const orderId = await pay();
  await open(orderId);
  expect(await watch(USD, () => settle())).toMatchObject({ ended: true });
  expect(notified).toEqual([{ reference, orderId, status: 'COMPLETED', stage: 'paid' }]);
  expect(reads).toBeGreaterThan(0);
});

describe('of a paid order that a run follows', () => {
  /** A payout whose order the bank has accepted, and whose row says so. */
  async function follow(document: string): Promise<string> {
    const under = referenceOf('u-1001', document);
    const instruction = { ...DEFAULT_PAYMENT, id: document };
    const claim = { reference: under, workflowId: payoutWorkflowId(under), instruction };
    const { term } = (await store.claimPayout(payoutClaim(document, claim))).record;
    const orderId = await pay(under);
    await open(orderId, { reference: under });
    const { account_id: accountId, beneficiary_id: beneficiaryId, amount, currency } = DEFAULT_PAYMENT;
    const request = { accountId, beneficiaryId, payeeDigest: 'of-payee', amount, currency, expiredAt: Date.now() };
    const attempt = { attempt: 1, runId: 'run-1', activityId: '1', sentAt: Date.now(), request };
    await store.recordAttempt({ reference: under, ...attempt });
    await store.finishAttempt(under, 1, { outcome: 'accepted', orderId });
    await store.changePayout(under, { state: 'processing', orderId, term, at: Date.now() });
    return orderId;
  }

  beforeEach(() => openBank('as-sent'));

  it('the run is notified once, by the end itself', async () => {
    const orderId = await follow('doc');
    settle();
    expect(await watch(USD)).toMatchObject({ ended: true });
    expect([ended, notified]).toEqual([[orderId], []]);
  });

  it('the run is signalled if there is a second order, about which people may have been asked', async () => {
    const orderId = await follow('doc');
    const second = await pay(referenceOf('u-1001', 'doc'));
    settle();
    expect(await watch(USD)).toMatchObject({ ended: true });
    expect(ended).toEqual([]);
    expect(notified.map((notice) => notice.orderId).toSorted()).toEqual([orderId, second].toSorted());
  });

  it('no run waits for a bank that shows no single order: they are signalled, and read it with their own patience', async () => {
    const orders = [await follow('doc'), await follow('other'), await follow('third')];
    settle();
    await proxy('faults', { operation: 'orders.get', kind: 'http', status: 503, commit: false, times: 1_000 });
    expect(await watch(USD)).toMatchObject({ ended: true });
    expect(ended).toEqual([]);
    expect(notified.map((notice) => notice.orderId).toSorted()).toEqual(orders.toSorted());
  });
});
