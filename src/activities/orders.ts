import { activityInfo } from '@temporalio/activity';
import { BankError } from '../api/errors.ts';
import type { Order } from '../api/schemas/orders.ts';
import type { Assessment, Payee } from '../domain/gates.ts';
import {
  type ExpectedOrder,
  isReturn,
  judgeOrder,
  type OrderFacts,
  type OrderJudgement,
} from '../domain/order-judgement.ts';
import { type ClosedMeaning, isTerminal } from '../domain/order-status.ts';
import { isEnd, type PayoutState, type Reason } from '../domain/payout-state.ts';
import { referenceForm } from '../domain/reference-form.ts';
import type { SentOrder } from '../domain/sent-order.ts';
import { type AttemptResult, orderInForce, othersInDoubt } from '../domain/submission.ts';
import type { SwitchScope } from '../domain/switches.ts';
import type { SendAttempt } from '../store/store.ts';
import { type AssessInput, assessPayout } from './assess.ts';
import { beating } from './beating.ts';
import type { ActivityDeps } from './deps.ts';
import { sharedScans } from './order-scans.ts';
import { payeeDigest } from './payee.ts';
import { ownerOf, resultOfError } from './submit.ts';
import { switchOver, switchOverSent } from './switches.ts';
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
  /** Read the payout itself again in the same activity once the order is paid: what an exchange was made for. */
  thenAssess?: AssessInput;
}

export interface OrderRead extends OrderJudgement {
  assessment?: Assessment;
}

export interface StoredState {
  state: PayoutState;
  reason: Reason | null;
}

export interface OrderDecision {
  /** Reference of the payout that owns the order. */
  owner: string;
  orderId: string;
  by: string;
}

export interface OrderApproval extends OrderDecision {
  /** The payee as it was when the order was sent; absent where the order has none. */
  payee?: Payee;
}

/** `payee-changed`: nothing was sent, the bank shows another payee than the one that was paid. */
export type OrderApproved = AttemptResult | { outcome: 'payee-changed' };

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
  /** Orders that show the reference in another form, whose id no answer has told: a conflict, never "absent". */
  nearMisses: number;
  stable: boolean;
  pagesRead: number;
  ordersRead: number;
  /** Order ids recorded as accepted: while there is one, absence is never proven. */
  accepted: string[];
  /** Some recorded attempt was answered with 2003. */
  exists?: boolean;
  /** Attempts of other runs that may have been executed. */
  othersInDoubt?: number;
  /** The bank has shown a second order under some reference of this user: it recognises no reference. */
  distrusted?: boolean;
  /** A switch forbids to send again. */
  switchedOff?: SwitchScope;
  /** What a resend repeats: the last order that may have been executed. */
  inForce?: SentOrder;
}

export const orderActivities = (deps: ActivityDeps, scanOrders = sharedScans(deps.bank, deps.settings.pageSize)) => ({
  /**
   * GET of one order, judged against what was sent. "Not found" on a known order id proves nothing (lag, scope) and reads
   * as still open. Local activity: it only reads, and its writes to the store may be repeated.
   */
  async readOrder(input: ReadOrderInput): Promise<OrderRead> {
    const order = await reading(() => readIfThere(deps, input.orderId));
    if (order === undefined) {
      return { meaning: 'open', status: 'NOT_FOUND', orderId: input.orderId, differences: [] };
    }
    const attempts = await deps.store.attempts(input.expected.reference);
    const judgement = judgeOrder(orderFacts(order), input.expected, input.closedMeans, acceptedIds(attempts));
    const becomes = judgement.differences.length === 0 ? input.becomes?.[judgement.meaning] : undefined;
    if (becomes !== undefined) await storeState(deps, input, judgement, becomes);
    // An exchange ends apart from its payout.
    if (input.expected.kind === 'exchange' && isTerminal(judgement.meaning)) {
      await deps.store.closeOrder(input.expected.reference);
    }
    const { thenAssess } = input;
    if (thenAssess === undefined || judgement.meaning !== 'paid') return judgement;
    return { ...judgement, assessment: await reading(() => assessPayout(deps, thenAssess)) };
  },

  /**
   * One look for a reference: the order ids that were accepted under it, then the order lists of all its currencies since
   * its first attempt, whichever run made it.
   */
  findOrder: (input: FindOrderInput): Promise<OrderLook> => beating(() => findOrder(deps, scanOrders, input)),

  /** Nobody has agreed to pay a payee that was changed since: compared again before the bank is told to go on. */
  async approveOrder(decision: OrderApproval): Promise<OrderApproved> {
    if (decision.payee !== undefined && !(await isSamePayee(deps, decision.payee))) return { outcome: 'payee-changed' };
    return decide(deps, 'approve', decision, () => deps.bank.orders.approve(decision.orderId), stoppedBySwitch);
  },

  async rejectOrder(decision: OrderDecision & { remark: string }): Promise<AttemptResult> {
    return decide(deps, 'reject', decision, () => deps.bank.orders.reject(decision.orderId, decision.remark));
  },
});

/** See `findOrder` of the activities. */
async function findOrder(
  deps: ActivityDeps,
  scanOrders: ReturnType<typeof sharedScans>,
  input: FindOrderInput,
): Promise<OrderLook> {
  const look: OrderLook = { orders: [], nearMisses: 0, stable: true, pagesRead: 0, ordersRead: 0, accepted: [] };
  look.distrusted = await deps.store.hasSuspectedDuplicate(input.uid);
  const attempts = await deps.store.attempts(input.reference);
  look.exists = attempts.some(({ outcome }) => outcome === 'exists');
  const { runId, workflowId = '' } = activityInfo().workflowExecution ?? {};
  look.othersInDoubt = othersInDoubt(attempts, runId);
  look.inForce = orderInForce(attempts);
  look.switchedOff = await switchOver(deps, ownerOf({ workflowId }), look.inForce === undefined ? [] : [look.inForce]);
  const since = Math.min(input.since, ...attempts.map(({ sentAt }) => sentAt));
  look.accepted = acceptedIds(attempts);
  for (const orderId of look.accepted) {
    const order = await reading(() => readIfThere(deps, orderId));
    if (order !== undefined) addOrder(look, order);
  }
  for (const currency of input.currencies) {
    const from = Math.max(0, since - deps.settings.clockSkewMs);
    const scan = await reading(() => scanOrders({ uid: input.uid, currency, from }));
    look.stable &&= scan.stable;
    look.pagesRead += scan.pagesRead;
    look.ordersRead += scan.orders.length;
    for (const order of scan.orders) addToLook(look, order, input.reference);
  }
  return look;
}

async function isSamePayee(deps: ActivityDeps, payee: Payee): Promise<boolean> {
  try {
    return payeeDigest(await deps.bank.beneficiaries.get(payee.id)) === payee.digest;
  } catch (error) {
    if (error instanceof BankError && error.code === 2004) return false;
    throw error;
  }
}

/** A decision has no idempotency key: whatever the answer, the order's own status is what counts. */
async function decide(
  deps: ActivityDeps,
  action: 'approve' | 'reject',
  { owner, orderId, by }: OrderDecision,
  post: () => Promise<void>,
  stopped: (deps: ActivityDeps, decision: OrderDecision) => Promise<AttemptResult | undefined> = async () => undefined,
): Promise<AttemptResult> {
  await deps.assertIdentity();
  const at = deps.now();
  await deps.store.changePayout(owner, { state: 'processing', reason: null, at });
  await deps.store.audit({ at, actor: by, action: `${action} at the bank`, subject: owner, detail: { orderId } });
  const held = await stopped(deps, { owner, orderId, by });
  if (held !== undefined) return held;
  try {
    await post();
    return { outcome: 'accepted', orderId };
  } catch (error) {
    return resultOfError(error);
  }
}

/** An approval lets money go, so it is sent like an order: not while a switch is off. A rejection always may be. */
async function stoppedBySwitch(
  deps: ActivityDeps,
  { owner, orderId, by }: OrderDecision,
): Promise<AttemptResult | undefined> {
  const scope = await switchOverSent(deps, owner);
  if (scope === undefined) return undefined;
  const detail = { orderId, scope };
  await deps.store.audit({ at: deps.now(), actor: by, action: 'approve held back', subject: owner, detail });
  return { outcome: 'not-sent', why: 'switched-off', scope };
}

/** "Not found" is an answer: it proves nothing about an order that is known. */
export async function readIfThere({ bank }: Pick<ActivityDeps, 'bank'>, orderId: string): Promise<Order | undefined> {
  try {
    return await bank.orders.get(orderId);
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

/** Order ids that the bank has given in answer to an attempt. */
const acceptedIds = (attempts: readonly SendAttempt[]): string[] => attempts.flatMap(({ orderId }) => orderId ?? []);

function addToLook(look: OrderLook, order: Order, reference: string): void {
  if (isReturn(order)) return;
  const form = order.client_order_id === undefined ? 'other' : referenceForm(order.client_order_id, reference);
  if (form === 'as-sent' || look.accepted.includes(order.order_id)) {
    addOrder(look, order);
  } else if (form !== 'other') {
    look.nearMisses += 1;
  }
}

function addOrder(look: OrderLook, order: Order): void {
  if (!look.orders.some((seen) => seen.orderId === order.order_id)) look.orders.push(orderFacts(order));
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
