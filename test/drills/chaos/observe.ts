import { z } from 'zod';
import type { LoggedPost } from '../../../src/sandbox/sandbox.ts';
import type {
  AccountBooks,
  BankOrder,
  Observation,
  ReceivedPost,
  WorkflowResult,
} from '../../support/checker/observation.ts';
import type { BankState, BankStateOrder } from './bank-proxy.ts';
import { MAKER } from './hand-over.ts';
import { bankTimes, type ChaosOptions, type Forgotten, profileOf } from './options.ts';
import type { People } from './people.ts';
import { rowsOf } from './rows.ts';
import type { Stack } from './stack.ts';

/** The part of `payouts report --json` that a row is judged by. */
const reportDocument = z.object({
  payouts: z.array(
    z.object({
      uid: z.string(),
      id: z.string(),
      reference: z.string(),
      state: z.string(),
      orderId: z.string().nullable(),
      amount: z.string(),
      currency: z.string(),
      fee: z.string().nullable(),
      feeCurrency: z.string().nullable(),
      reason: z.object({ code: z.string(), message: z.string() }).nullable(),
      returns: z.array(z.object({ orderId: z.string(), amount: z.string(), currency: z.string() })),
    }),
  ),
});

export interface Seen {
  options: ChaosOptions;
  stack: Stack;
  people: People;
  /** The bank before the first payout and at the end. */
  opening: BankState;
  closing: BankState;
  /** Of `payouts report --json`. */
  report: unknown;
  results: WorkflowResult[];
  calm: Observation['calm'];
  restores: readonly number[];
  forgotten: Forgotten;
}

/** What the checker gets to know. Accounts are reckoned from the orders again, beside the bank's own journal. */
export function observe({
  options,
  stack,
  people,
  opening,
  closing,
  report,
  results,
  calm,
  restores,
  forgotten,
}: Seen): Observation {
  const { lateCommitMs, listLagMs } = bankTimes(options);
  const { listLagMs: lag = 0 } = profileOf(options);
  const trueTime = clockOf(options, stack);
  const endedAt = new Map(stack.store.payouts().map((row) => [row.reference, row.ended_at]));
  return {
    settings: {
      referenceDedupe: 'assumed',
      closedMeans: 'unclear',
      lateCommitMs,
      listLagMs,
      approvalRules: [],
      // Processes are stopped between record and send, and the bank before it reads.
      sendDelayMaxMs: null,
      provesAbsence: true,
    },
    accepted: rowsOf(options.payouts).map(({ uid, id, account_id, amount, currency, beneficiary_id }) => ({
      ...{ uid, id, amount, currency, generation: 0, accountId: account_id, maker: MAKER },
      ...(beneficiary_id === undefined ? {} : { beneficiaryId: beneficiary_id }),
    })),
    orders: closing.orders.map((order) => orderOf(order, lag)),
    posts: stack.bank.posts.map(postOf).sort((a, b) => a.receivedAt - b.receivedAt),
    beneficiaries: [],
    fees: [],
    accounts: closing.accounts.map((account) => booksOf(account, opening, closing.orders)),
    attempts: [...forgotten.attempts, ...stack.store.attempts()].map(
      ({ reference, attempt, sent_at, outcome, order_id }) => ({
        ...{ reference, attempt, outcome },
        recordedAt: trueTime(sent_at),
        orderId: order_id,
      }),
    ),
    rows: reportDocument.parse(report).payouts.map(({ reason, ...row }) => ({
      ...row,
      generation: 0,
      reasonCode: reason?.code ?? null,
      endedAt: optional(trueTime, endedAt.get(row.reference)),
    })),
    statesSeen: people.statesSeen,
    results,
    interruptions: [],
    decisions: people.decisions,
    audits: [...forgotten.audits, ...stack.store.audits()].map(({ at, actor, action, detail }) => ({
      ...{ at: trueTime(at), actor, action },
      orderId: (JSON.parse(detail) as { orderId?: string }).orderId ?? null,
    })),
    notedOrders: [...stack.store.unaskedOrders(), ...stack.store.incidentOrders()],
    traffic: [],
    switches: [],
    restores: [...restores],
    senders: [],
    foreignCalls: [],
    calm,
  };
}

/** What the store received from a clock that was off, as a right one would have shown it: a run is shorter than that. */
function clockOf({ clocksOffByMs = 0 }: ChaosOptions, { startedAt }: Stack): (at: number) => number {
  const apart = clocksOffByMs / 2;
  const now = Date.now();
  return (at) => {
    if (clocksOffByMs === 0) return at;
    if (at > now + apart) return at - clocksOffByMs;
    return at < startedAt - apart ? at + clocksOffByMs : at;
  };
}

const optional = (map: (at: number) => number, at: number | null | undefined): number | null =>
  at === null || at === undefined ? null : map(at);

function orderOf(order: BankStateOrder, lag: number): BankOrder {
  const bought = order.type === 'FX';
  return {
    orderId: order.order_id,
    reference: order.client_order_id,
    type: order.type,
    direct: order.direct,
    uid: order.transaction_uid,
    accountId: order.transaction_account,
    currency: (bought ? order.buy_currency : order.transaction_currency) ?? '',
    amount: (bought ? order.buy_amount : order.transaction_amount) ?? '',
    fee: order.fee,
    feeCurrency: order.fee_currency,
    createdAt: order.created_at,
    listedAt: order.created_at + lag,
    statuses: [
      { at: order.created_at, status: 'ACCEPTED' },
      { at: order.updated_at, status: order.status },
    ],
    moneyMoved: order.money === 'settled',
  };
}

const ROUTES: Readonly<Record<string, ReceivedPost['route']>> = {
  'transactions.payment': 'payment',
  'transactions.fx': 'fx',
  'transactions.transfer': 'transfer',
  'beneficiaries.add': 'beneficiary',
  'orders.approve': 'approve',
  'orders.reject': 'reject',
};

function postOf({ operation, path, at, body, committedAt, madeId, answered }: LoggedPost): ReceivedPost {
  const route = ROUTES[operation];
  if (route === undefined) throw new Error(`a POST without a route: ${operation}`);
  return {
    route,
    orderId: /\/transactions\/([^/]+)\/(?:approve|reject)$/.exec(path)?.[1] ?? null,
    receivedAt: at,
    body: body === '' ? {} : JSON.parse(body),
    committedAt,
    madeId,
    answered,
  };
}

function booksOf(
  { account_id: accountId, currency, balance, frozen }: BankState['accounts'][number],
  opening: BankState,
  orders: readonly BankStateOrder[],
): AccountBooks {
  const entries: AccountBooks['entries'] = [];
  for (const order of orders) {
    if (order.money !== 'settled') continue;
    const at = order.updated_at;
    const orderId = order.order_id;
    if (order.transaction_account === accountId) {
      const kind = { PAYMENT: 'payment', FX: 'sold', REFUND: 'refund', TRANSFER: 'payment' } as const;
      const sign = order.direct === 'OUT' ? '-' : '';
      entries.push({ at, kind: kind[order.type], orderId, amount: sign + order.transaction_amount });
      entries.push({ at, kind: 'fee', orderId, amount: `-${order.fee}` });
    }
    if (order.type === 'FX' && order.buy_account === accountId)
      entries.push({ at, kind: 'bought', orderId, amount: order.buy_amount ?? '' });
  }
  const before = opening.accounts.find((account) => account.account_id === accountId);
  return { accountId, currency, opening: before?.balance ?? '0', balance, held: frozen, entries };
}
