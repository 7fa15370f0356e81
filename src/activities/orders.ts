import { heartbeat } from '@temporalio/activity';
import { BankError } from '../api/errors.ts';
import { readAllOrders } from '../api/list-pages.ts';
import type { Order } from '../api/schemas/orders.ts';
import { type ExpectedOrder, judgeOrder, type OrderFacts, type OrderJudgement } from '../domain/order-judgement.ts';
import { type ClosedMeaning, isTerminal } from '../domain/order-status.ts';
import { isEnd, type PayoutState, type Reason } from '../domain/payout-state.ts';
import type { AttemptResult } from '../domain/submission.ts';
import type { ActivityDeps } from './deps.ts';
import { resultOfError } from './submit.ts';
import { reading } from './to-failure.ts';

export interface ReadOrderInput {
  /** Reference of the payout that owns the order. */
  owner: string;
  orderId: string;
  expected: ExpectedOrder;
  closedMeans: ClosedMeaning;
  /**
   * What the payout becomes by what the order turns out to mean. Written to the store in the same activity, so that it
   * costs no event of its own.
   */
  becomes?: Partial<Record<OrderJudgement['meaning'], StoredState>>;
}

export interface StoredState {
  state: PayoutState;
  reason: Reason | null;
}

export interface OrderDecision {
  /** Reference of the payout that owns the order. */
  owner: string;
  orderId: string;
}

export interface FindOrderInput {
  reference: string;
  uid: string;
  currencies: string[];
  /** Epoch ms: orders created since then, widened by the clock skew. */
  since: number;
}

/** What one look through the lists saw. */
export interface OrderLook {
  orders: OrderFacts[];
  /** Orders whose client id differs only in case, spaces or length: a conflict, never "absent". */
  nearMisses: number;
  stable: boolean;
  pagesRead: number;
  ordersRead: number;
}

export const orderActivities = (deps: ActivityDeps) => ({
  /**
   * GET of one order, judged against what was sent. "Not found" on a known order id proves nothing (lag, scope) and reads
   * as still open. Local activity: it only reads, and its writes to the store may be repeated.
   */
  async readOrder(input: ReadOrderInput): Promise<OrderJudgement> {
    const order = await reading(() => readIfThere(deps, input.orderId));
    if (order === undefined) {
      await deps.store.forgetNotice(input.expected.reference);
      return { meaning: 'open', status: 'NOT_FOUND', orderId: input.orderId, differences: [] };
    }
    const judgement = judgeOrder(orderFacts(order), input.expected, input.closedMeans);
    const becomes = judgement.differences.length === 0 ? input.becomes?.[judgement.meaning] : undefined;
    if (becomes !== undefined) await storeState(deps, input, judgement, becomes);
    // The list was ahead of the GET: the watch shall speak up again.
    else if (judgement.meaning === 'open') await deps.store.forgetNotice(input.expected.reference);
    // An exchange ends apart from its payout.
    if (input.expected.kind === 'exchange' && isTerminal(judgement.meaning))
      await deps.store.closeOrder(input.expected.reference);
    return judgement;
  },

  /** One look for a reference through the order lists of all its currencies. */
  async findOrder(input: FindOrderInput): Promise<OrderLook> {
    const look: OrderLook = { orders: [], nearMisses: 0, stable: true, pagesRead: 0, ordersRead: 0 };
    for (const currency of input.currencies) {
      const scan = await reading(() =>
        readAllOrders(
          deps.bank,
          { uid: input.uid, currency, created_at_from: Math.max(0, input.since - deps.settings.clockSkewMs) },
          { pageSize: deps.settings.pageSize, onPage: (page) => heartbeat({ currency, page }) },
        ),
      );
      look.stable &&= scan.stable;
      look.pagesRead += scan.pagesRead;
      look.ordersRead += scan.orders.length;
      for (const order of scan.orders) addToLook(look, order, input.reference);
    }
    return look;
  },

  async approveOrder({ owner, orderId }: OrderDecision): Promise<AttemptResult> {
    return decide(deps, { owner, orderId }, () => deps.bank.orders.approve(orderId));
  },

  async rejectOrder({ owner, orderId, remark }: OrderDecision & { remark: string }): Promise<AttemptResult> {
    return decide(deps, { owner, orderId }, () => deps.bank.orders.reject(orderId, remark));
  },
});

/** A decision has no idempotency key: whatever the answer, the order's own status is what counts. */
async function decide(
  deps: ActivityDeps,
  { owner, orderId }: OrderDecision,
  post: () => Promise<void>,
): Promise<AttemptResult> {
  await deps.assertIdentity();
  await deps.store.changePayout(owner, { state: 'processing', reason: null, at: deps.now() });
  try {
    await post();
    return { outcome: 'accepted', orderId };
  } catch (error) {
    return resultOfError(error);
  }
}

async function readIfThere(deps: ActivityDeps, orderId: string): Promise<Order | undefined> {
  try {
    return await deps.bank.orders.get(orderId);
  } catch (error) {
    if (error instanceof BankError && error.code === 2005) return undefined;
    throw error;
  }
}

async function storeState(
  deps: ActivityDeps,
  { owner, expected }: ReadOrderInput,
  judgement: OrderJudgement,
  becomes: StoredState,
): Promise<void> {
  await deps.store.changePayout(owner, {
    ...becomes,
    orderId: judgement.orderId,
    fee: judgement.fee,
    feeCurrency: judgement.feeCurrency,
    at: deps.now(),
  });
  if (isEnd(becomes.state)) await deps.store.closeOrder(expected.reference);
}

function addToLook(look: OrderLook, order: Order, reference: string): void {
  if (order.type === 'REFUND') return;
  if (order.client_order_id === reference) {
    if (!look.orders.some((seen) => seen.orderId === order.order_id)) look.orders.push(orderFacts(order));
  } else if (order.client_order_id?.trim().toLowerCase() === reference) {
    look.nearMisses += 1;
  }
}

/** The order record in our own spelling; what the bank leaves out stays out. */
export function orderFacts(order: Order): OrderFacts {
  return {
    orderId: order.order_id,
    clientOrderId: order.client_order_id,
    uid: order.transaction_uid,
    type: order.type,
    direct: order.direct,
    status: order.status,
    accountId: order.transaction_account,
    currency: order.transaction_currency,
    amount: order.transaction_amount,
    buyCurrency: order.buy_currency,
    buyAmount: order.buy_amount,
    sellCurrency: order.sell_currency,
    sellAmount: order.sell_amount,
    rate: order.rate,
    fee: order.fee,
    feeCurrency: order.fee_currency,
  };
}
