import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { SendOptions } from '../api/bank.ts';
import { BankError } from '../api/errors.ts';
import type { PlacedOrder } from '../api/schemas/transactions.ts';
import { FAILURES } from '../domain/failures.ts';
import { parseWorkflowId } from '../domain/names.ts';
import { isEnd } from '../domain/payout-state.ts';
import type { ExchangeOrder, PaymentOrder, SentOrder } from '../domain/sent-order.ts';
import { type AttemptResult, orderInForce, othersInDoubt, type SendResult } from '../domain/submission.ts';
import type { SwitchScope } from '../domain/switches.ts';
import type { ActivityDeps } from './deps.ts';
import { switchOver } from './switches.ts';

/** What every attempt of an order shares: its reference, its number, and whose it is. */
export interface Attempt {
  reference: string;
  attempt: number;
  workflowId: string;
  uid: string;
  /** Attempts of other runs in doubt, as many as this run knows of; absent in histories of before they were counted. */
  othersInDoubt?: number;
  /** Currencies under which the order can appear in lists: one for a payment, both legs for an exchange. */
  currencies: string[];
}

export interface PaymentInput extends Attempt, PaymentOrder {}

export interface ExchangeInput extends Attempt, ExchangeOrder {
  /** Reference of the payout that converts. */
  owner: string;
}

/** A sender that was paused for longer than this before its first byte sends nothing: the workflow may have moved on. */
const FENCE_MS = 5_000;

export const submitActivities = (deps: ActivityDeps) => ({
  async submitPayment(input: PaymentInput): Promise<SendResult> {
    const { accountId, beneficiaryId, amount, currency, expiredAt, note, reason, chargeType } = input;
    const order = { accountId, beneficiaryId, amount, currency, expiredAt, note, reason, chargeType };
    const result = await sendOnce<PaymentOrder>(deps, input, order, (sent, options) =>
      deps.bank.transactions.payment(
        {
          uid: input.uid,
          account_id: sent.accountId,
          beneficiary_id: sent.beneficiaryId,
          reference: input.reference,
          amount: sent.amount,
          currency: sent.currency,
          expired_at: sent.expiredAt,
          note: sent.note,
          reason: sent.reason,
          charge_type: sent.chargeType,
        },
        options,
      ),
    );
    if (result.outcome === 'accepted') {
      const { orderId } = result;
      await deps.store.changePayout(input.reference, { state: 'processing', reason: null, orderId, at: deps.now() });
    }
    return result;
  },

  async submitExchange(input: ExchangeInput): Promise<SendResult> {
    const { sellAccountId, buyAccountId, amount, currency, expiredAt, sellCurrency, quotedSellAmount } = input;
    const order = { sellAccountId, buyAccountId, amount, currency, expiredAt, sellCurrency, quotedSellAmount };
    const result = await sendOnce<ExchangeOrder>(deps, input, order, (sent, options) =>
      deps.bank.transactions.fx(
        {
          sell_account: sent.sellAccountId,
          buy_account: sent.buyAccountId,
          amount: sent.amount,
          currency: sent.currency,
          reference: input.reference,
          expired_at: sent.expiredAt,
        },
        options,
      ),
    );
    if (result.outcome === 'accepted') {
      await deps.store.changePayout(input.owner, { state: 'converting', reason: null, at: deps.now() });
    }
    return result;
  },

  /**
   * Takes the number of an attempt whose sender gave no answer: true when no sender has recorded it, so that no byte left
   * and, the number being gone, none will. May run again.
   */
  async fenceAttempt({ reference, attempt, runId }: FenceInput): Promise<boolean> {
    const fence = { reference, attempt, runId, activityId: FENCE };
    await deps.store.recordAttempt({ ...fence, sentAt: deps.now(), outcome: 'not-sent' });
    const recorded = (await deps.store.attempts(reference)).find((made) => made.attempt === attempt);
    return recorded?.activityId === FENCE && recorded.runId === runId;
  },
});

export interface FenceInput {
  reference: string;
  attempt: number;
  runId: string;
}

/** In the place of the activity id of a sender. */
const FENCE = 'fence';

/**
 * One attempt, one POST at most. Order matters: the reference is in the open set and its watch awake, then the attempt is
 * recorded with its bytes, then the first of them leaves. A conflict on (reference, attempt) means another sender had this
 * number: nothing is sent and nobody knows what the other one did. A resend repeats the recorded bytes whatever is asked,
 * and says so. The switches are the last thing asked before the first byte.
 */
async function sendOnce<Order extends SentOrder>(
  deps: ActivityDeps,
  attempt: Attempt,
  asked: Order,
  post: (order: Order, options: SendOptions) => Promise<PlacedOrder>,
): Promise<SendResult> {
  const fence = raiseFence();
  let order = asked;
  try {
    await deps.assertIdentity();
    if (await hasEnded(deps, attempt)) return { outcome: 'ended' };
    await watch(deps, attempt);
    order = orderInForce<Order>(await deps.store.attempts(attempt.reference)) ?? asked;
    if (!(await record(deps, attempt, order))) return { outcome: 'ambiguous', why: 'another sender used this attempt' };
    if (await hasRival(deps, attempt)) return await standBack(deps, attempt);
    const scope = await switchOver(deps, ownerOf(attempt), [order]);
    if (scope !== undefined) return await holdBack(deps, attempt, scope);
  } catch (error) {
    // Store or Temporal out of reach: no byte has left.
    const wrongStore = error instanceof ApplicationFailure && error.type === FAILURES.wrongStore;
    return { outcome: 'not-sent', why: wrongStore ? 'wrong-store' : 'unreachable' };
  }

  const result = await outcomeOf(() =>
    post(order, {
      beforeFirstByte: fence,
    }),
  );
  await noteResult(deps, attempt, result);
  return order === asked ? result : { ...result, sent: order };
}

/**
 * Whether a sender of another run has been at work that this run has not heard of: one that was paused while its run was
 * reset. Asked after the own record is in the store, so that of two at least one sees the other.
 */
async function hasRival({ store }: ActivityDeps, attempt: Attempt): Promise<boolean> {
  if (attempt.othersInDoubt === undefined) return false;
  const { workflowExecution } = activityInfo();
  const others = othersInDoubt(await store.attempts(attempt.reference), workflowExecution?.runId);
  return others > attempt.othersInDoubt;
}

/** Nothing is sent, and what the other one does is looked for. */
async function standBack(deps: ActivityDeps, { reference, attempt }: Attempt): Promise<AttemptResult> {
  await deps.store.finishAttempt(reference, attempt, { outcome: 'not-sent' });
  return { outcome: 'ambiguous', why: 'another run has sent' };
}

/** Nothing is sent while a switch is off; the attempt is over, so that a later one is free to differ. */
async function holdBack(
  deps: ActivityDeps,
  { reference, attempt }: Attempt,
  scope: SwitchScope,
): Promise<AttemptResult> {
  await deps.store.finishAttempt(reference, attempt, { outcome: 'not-sent' });
  return { outcome: 'not-sent', why: 'switched-off', scope };
}

/** Both clocks count: the monotonic one may stand still while a machine is suspended, the wall clock may be set. */
export function raiseFence(): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > FENCE_MS) {
      throw new Error('the sender was paused before its first byte');
    }
  };
}

/** Whether the payout has an end: a run that was reset to before its submit must not send for it any more. */
export async function hasEnded(
  { store }: Pick<ActivityDeps, 'store'>,
  { workflowId }: Pick<Attempt, 'workflowId'>,
): Promise<boolean> {
  const row = await store.payout(ownerOf({ workflowId }));
  return row !== undefined && isEnd(row.state);
}

/** Reference of the payout that sends: its exchange has another one. */
export const ownerOf = ({ workflowId }: Pick<Attempt, 'workflowId'>): string => parseWorkflowId(workflowId)?.key ?? '';

/** The intent before the bytes; false when somebody else recorded this attempt. */
async function record(deps: ActivityDeps, { reference, attempt }: Attempt, request: SentOrder): Promise<boolean> {
  const { workflowExecution, activityId } = activityInfo();
  return deps.store.recordAttempt({
    reference,
    attempt,
    runId: workflowExecution?.runId ?? '',
    activityId,
    sentAt: deps.now(),
    request,
  });
}

/** Puts the reference into the open set and wakes its watch where none is alive. */
async function watch(deps: ActivityDeps, attempt: Attempt): Promise<void> {
  const now = deps.now();
  const asleep = await deps.store.openOrder({
    reference: attempt.reference,
    workflowId: attempt.workflowId,
    uid: attempt.uid,
    currencies: attempt.currencies,
    at: now,
    watchAliveSince: now - watchLeaseMs(deps),
  });
  await Promise.all(asleep.map((key) => deps.executions.wakeWatch(key)));
}

/** A watch that has not swept for this long counts as gone. */
export const watchLeaseMs = ({ settings }: Pick<ActivityDeps, 'settings'>): number =>
  Math.max(30_000, settings.sweepMaxMs * 3);

/** The result of one POST in the protocol's classes. Anything that is not a known answer is ambiguous. */
export async function outcomeOf(post: () => Promise<PlacedOrder>): Promise<AttemptResult> {
  try {
    const { order_id: orderId } = await post();
    return { outcome: 'accepted', orderId };
  } catch (error) {
    return resultOfError(error);
  }
}

/** What the error of a POST tells about its effect. */
export function resultOfError(error: unknown): Exclude<AttemptResult, { outcome: 'ended' }> {
  if (!(error instanceof BankError)) return { outcome: 'ambiguous', why: 'the sender failed' };
  switch (error.outcome) {
    case 'not-sent':
      return { outcome: 'not-sent', why: notSentWhy(error) };
    case 'refused':
      if (error.tokenSuspect) return { outcome: 'not-sent', why: 'token-suspect' };
      return error.code === undefined
        ? { outcome: 'ambiguous', why: error.message }
        : { outcome: 'refused', code: error.code };
    case 'exists':
      return { outcome: 'exists' };
    case 'ambiguous':
      return { outcome: 'ambiguous', why: error.code === undefined ? error.name : `code ${error.code}` };
  }
}

function notSentWhy(error: BankError): 'unreachable' | 'authentication' {
  return error.name === 'AuthenticationError' ? 'authentication' : 'unreachable';
}

async function noteResult(deps: ActivityDeps, attempt: Attempt, result: AttemptResult): Promise<void> {
  if (result.outcome === 'ended') return;
  const orderId = result.outcome === 'accepted' ? result.orderId : undefined;
  await deps.store.finishAttempt(attempt.reference, attempt.attempt, {
    outcome: result.outcome,
    orderId,
    code: result.outcome === 'refused' ? result.code : undefined,
  });
  if (orderId === undefined) return;
  await deps.store.noteOrder(attempt.reference, { orderId });
}
