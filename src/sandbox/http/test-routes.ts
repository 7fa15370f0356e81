import { z } from 'zod';
import { formatMinor } from '../../domain/money.ts';
import { ACQUIRING_ROUTES } from '../acquirer/acquirer-routes.ts';
import { TEST_CARDS, TEST_CARDS_NOTE } from '../acquirer/card.ts';
import { allCardPayments } from '../acquirer/payment-row.ts';
import { allSessions } from '../acquirer/payments.ts';
import {
  bodyOf,
  countsOfDeliveries,
  deliveriesAfter,
  EVENT_TYPES,
  endpointBody,
  endpointOf,
  insertDelivery,
  saveEndpoint,
  withoutSecret,
} from '../acquirer/webhooks.ts';
import { type AccountRow, openAccount, readAmount, requireAccount, toBalance } from '../bank/account-book.ts';
import { checkConservation, deposit } from '../bank/ledger.ts';
import { allOrders, enterStatus, refundOrder, requireOrder, saveOrder } from '../bank/order-book.ts';
import { toOrder } from '../bank/order-machine.ts';
import { profileBody } from '../bank/profile.ts';
import { FaultPlan, faultPlanRequest, faultRequest } from '../faults/faults.ts';
import { afterQuery, badRequest, newId, read } from '../requests.ts';
import type { Sandbox } from '../sandbox.ts';
import { BANKING_ROUTES, type Call, type Routes } from './routes.ts';

/**
 * Test-only routes: no part of the interface, answered to loopback peers alone, plain JSON without an envelope, no token.
 *
 * | method and path | body | answer |
 * |---|---|---|
 * | GET /__sandbox/state | | `{now, profile, conservation, accounts, orders, faults, faultPlan, lateCommits}` |
 * | POST /__sandbox/clock | `{advance_ms}` | `{now}` |
 * | PUT /__sandbox/profile | see `profile.ts` | the profile |
 * | POST /__sandbox/accounts | `{uid, currency, account_id?, balance?}` | the account |
 * | POST /__sandbox/accounts/{account_id}/deposit | `{amount}` | the account |
 * | POST /__sandbox/accounts/{account_id}/freeze, /unfreeze | | the account |
 * | POST /__sandbox/orders/{order_id}/status | `{status, stay?}` | the order |
 * | POST /__sandbox/orders/{order_id}/refund | `{amount?}` | the REFUND order |
 * | POST, GET, DELETE /__sandbox/faults | see `faults.ts` | the fault; all with their counts; none |
 * | PUT, DELETE /__sandbox/fault-plan | see `fault-plan.ts` | the plan with its counts; `null` |
 * | POST /__sandbox/outage | `{ms}` | `{ms}`; then the port refuses connections for so long (F1) |
 * | GET /__sandbox/posts?after=SEQ | | `{posts}`: the POSTs after that number, see `post-log.ts` |
 *
 * `lateCommits` counts requests that were read and are still to be executed (fault `late-commit`).
 */
export type TestRoute = (sandbox: Sandbox, call: Call) => unknown;

const id = (call: Call, name: string): string => call.params[name] ?? '';
const currency = z.string().regex(/^[A-Z]{3}$/);
const accountId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);

const clockBody = z.strictObject({ advance_ms: z.int().nonnegative() });
const accountBody = z.strictObject({
  uid: z.string().min(1),
  currency,
  account_id: accountId.optional(),
  balance: z.string().optional(),
});
const depositBody = z.strictObject({ amount: z.string() });
const statusBody = z.strictObject({
  /** Any word, so that statuses which the interface does not list can be tried. */
  status: z.string().regex(/^[A-Z_]{1,32}$/),
  /** True: no further steps by the clock. */
  stay: z.boolean().default(false),
});
const outageBody = z.strictObject({ ms: z.int().min(1).max(600_000) });
const refundBody = z.strictObject({ amount: z.string().optional() });

export const TEST_ROUTES: Routes<TestRoute> = {
  'GET /__sandbox/state': state,
  'POST /__sandbox/clock': ({ clock }, { body }) => {
    clock.advance(read(clockBody, body).advance_ms);
    return { now: clock.now() };
  },
  'PUT /__sandbox/profile': ({ books: { profile } }, { body }) =>
    Object.assign(profile, read(profileBody, { ...profile, ...body })),
  'POST /__sandbox/accounts': createAccount,
  'POST /__sandbox/accounts/{account_id}/deposit': depositInto,
  'POST /__sandbox/accounts/{account_id}/freeze': (sandbox, call) => block(sandbox, call, 1),
  'POST /__sandbox/accounts/{account_id}/unfreeze': (sandbox, call) => block(sandbox, call, 0),
  'POST /__sandbox/orders/{order_id}/status': overrideStatus,
  'POST /__sandbox/orders/{order_id}/refund': refund,
  'POST /__sandbox/faults': addFault,
  'GET /__sandbox/faults': ({ faults }) => ({ faults: faults.list() }),
  'DELETE /__sandbox/faults': ({ faults }) => {
    faults.clear();
    return { faults: [] };
  },
  'PUT /__sandbox/fault-plan': (sandbox, { body }) => {
    sandbox.faultPlan = new FaultPlan(read(faultPlanRequest, body));
    return sandbox.faultPlan.report();
  },
  'DELETE /__sandbox/fault-plan': (sandbox) => {
    sandbox.faultPlan = undefined;
    return null;
  },
  'POST /__sandbox/outage': ({ refuseConnections }, { body }) => {
    const { ms } = read(outageBody, body);
    refuseConnections(ms);
    return { ms };
  },
  'GET /__sandbox/posts': ({ posts }, { query }) => ({ posts: posts.after(read(afterQuery, query).after) }),
};

function state({ books, faults, faultPlan, lateCommits }: Sandbox): unknown {
  const { db, profile } = books;
  return {
    now: books.now(),
    profile,
    conservation: checkConservation(db),
    accounts: db.all<AccountRow>(`SELECT * FROM accounts WHERE kind = 'customer' ORDER BY account_id`).map(showAccount),
    orders: allOrders(db).map((order) => ({
      ...toOrder(order),
      beneficiary_id: order.beneficiary_id,
      destination_account: order.type === 'TRANSFER' ? order.counter_account : null,
      refund_of: order.refund_of,
      note: order.note,
      reason: order.reason,
      remark: order.remark,
      expired_at: order.expired_at === null ? null : Number(order.expired_at),
      money: order.money,
    })),
    faults: faults.list(),
    faultPlan: faultPlan?.report() ?? null,
    lateCommits: lateCommits.count,
  };
}

const showAccount = (account: AccountRow) => ({ ...toBalance(account), account_frozen: account.blocked === 1n });

function createAccount({ books }: Sandbox, { body }: Call): unknown {
  const { uid, currency, account_id: accountId = newId('acc'), balance } = read(accountBody, body);
  const at = books.now();
  openAccount(books.db, { accountId, uid, currency, kind: 'customer', at });
  if (balance !== undefined) deposit(books.db, { accountId, currency, amount: readAmount(balance, currency), at });
  return showAccount(requireAccount(books.db, accountId));
}

function depositInto({ books }: Sandbox, call: Call): unknown {
  const { account_id: accountId, currency } = requireAccount(books.db, id(call, 'account_id'));
  const amount = readAmount(read(depositBody, call.body).amount, currency);
  deposit(books.db, { accountId, currency, amount, at: books.now() });
  return showAccount(requireAccount(books.db, accountId));
}

function block({ books }: Sandbox, call: Call, blocked: 0 | 1): unknown {
  const { account_id: accountId } = requireAccount(books.db, id(call, 'account_id'));
  books.db.update('accounts', { account_id: accountId }, { blocked });
  return showAccount(requireAccount(books.db, accountId));
}

function overrideStatus({ books }: Sandbox, call: Call): unknown {
  const { status, stay } = read(statusBody, call.body);
  const order = enterStatus(books, requireOrder(books.db, id(call, 'order_id')), status, books.now());
  if (stay) saveOrder(books.db, { ...order, due_at: null });
  return toOrder(order);
}

function refund({ books }: Sandbox, call: Call): unknown {
  const order = requireOrder(books.db, id(call, 'order_id'));
  const { amount } = read(refundBody, call.body);
  const minor = amount === undefined ? order.amount : readAmount(amount, order.currency);
  return toOrder(requireOrder(books.db, refundOrder(books, order, minor, books.now())));
}

const OPERATIONS: ReadonlySet<string> = new Set([
  'auth',
  ...[BANKING_ROUTES, ACQUIRING_ROUTES].flatMap((routes) => Object.values(routes).map(([operation]) => operation)),
]);

function addFault({ faults }: Sandbox, { body }: Call): unknown {
  const fault = read(faultRequest, body);
  if (!OPERATIONS.has(fault.operation)) throw badRequest(`operation: one of ${[...OPERATIONS].join(', ')}`);
  if (fault.kind === 'refuse-before' && fault.match.reference !== undefined) {
    throw badRequest('refuse-before cannot match a reference: the body is not read');
  }
  return faults.add(fault);
}

/**
 * Test-only routes of the acquirer, like those of `http/test-routes.ts`.
 *
 * | method and path | body | answer |
 * |---|---|---|
 * | GET /__sandbox/cards | | `{note, cards: [{scenario, number, says}]}` |
 * | GET /__sandbox/card-payments | | `{payments, sessions}`, all of them, oldest first |
 * | PUT /__sandbox/webhooks | see `endpoint.ts` | the endpoint without its secret |
 * | GET /__sandbox/webhooks?after=SEQ | | `{endpoint, counts, deliveries}`: at most 1000 deliveries after that number |
 * | POST /__sandbox/webhooks/send | `{payment_id, payment_status?, type?, merchant_request_id?, reference_id?, amount?, currency?, event_id?, forged?}` | `{event_id}` |
 */
export const ACQUIRER_TEST_ROUTES: Routes<TestRoute> = {
  'GET /__sandbox/cards': () => ({ note: TEST_CARDS_NOTE, cards: TEST_CARDS }),
  'GET /__sandbox/card-payments': showCardPayments,
  'PUT /__sandbox/webhooks': ({ books, webhooks }, { body }) => {
    const endpoint = read(endpointBody, body);
    saveEndpoint(books.db, endpoint);
    webhooks.wake();
    return withoutSecret(endpoint);
  },
  'GET /__sandbox/webhooks': (sandbox, { query }) => showWebhooks(sandbox, read(afterQuery, query).after),
  'POST /__sandbox/webhooks/send': (sandbox, { body }) => sendOwn(sandbox, body),
};

const word = z.string().min(1).max(64);
const sendBody = z.strictObject({
  payment_id: word,
  /** Any text. */
  payment_status: word.optional(),
  /** Absent: the one for the status. */
  type: word.optional(),
  merchant_request_id: word.optional(),
  reference_id: word.optional(),
  amount: word.optional(),
  currency: word.optional(),
  /** The id of an earlier event; absent: a new one. */
  event_id: word.optional(),
  /** Sign with a key other than the endpoint's. */
  forged: z.boolean().default(false),
});

function showCardPayments({ books }: Sandbox): unknown {
  const { db } = books;
  return {
    payments: allCardPayments(db).map(({ verify_token: _, amount, created_at, updated_at, due_at, ...row }) => ({
      ...row,
      amount: formatMinor(amount, row.currency),
      created_at: Number(created_at),
      updated_at: Number(updated_at),
      due_at: due_at === null ? null : Number(due_at),
    })),
    sessions: allSessions(db).map(({ amount, created_at, fingerprinted_at, ...row }) => ({
      ...row,
      amount: formatMinor(amount, row.currency),
      created_at: Number(created_at),
      fingerprinted_at: fingerprinted_at === null ? null : Number(fingerprinted_at),
    })),
  };
}

function showWebhooks({ books }: Sandbox, after: number): unknown {
  const endpoint = endpointOf(books.db);
  return {
    endpoint: endpoint === undefined ? null : withoutSecret(endpoint),
    counts: countsOfDeliveries(books.db),
    deliveries: deliveriesAfter(books.db, after).map((row) => ({
      ...row,
      seq: Number(row.seq),
      body: JSON.parse(row.body),
      forged: row.forged === 1n,
      attempts: Number(row.attempts),
      last_http_status: row.last_http_status === null ? null : Number(row.last_http_status),
      created_at: Number(row.created_at),
      due_at: row.due_at === null ? null : Number(row.due_at),
    })),
  };
}

/** Sends an event made up by the tester, regardless of the endpoint's settings for duplicates and order. */
function sendOwn({ books, webhooks }: Sandbox, body: unknown): unknown {
  if (endpointOf(books.db) === undefined) throw badRequest('no endpoint is set: PUT /__sandbox/webhooks');
  const { event_id = newId('evt'), forged, type, ...data } = read(sendBody, body);
  const { completion, ...byStatus } = EVENT_TYPES;
  const fitting = (byStatus as Readonly<Record<string, string>>)[data.payment_status ?? ''] ?? completion;
  const at = books.now();
  insertDelivery(books.db, {
    event_id,
    payment_id: data.payment_id,
    body: bodyOf(type ?? fitting, at, data),
    forged: forged ? 1 : 0,
    created_at: at,
    due_at: at,
  });
  webhooks.wake();
  return { event_id };
}
