import { ActivityFailure, condition, TimeoutFailure } from '@temporalio/workflow';
import {
  type CardEnd,
  type CardEvent,
  type CardHandle,
  type CardSendResult,
  type CardTerms,
  SESSION_MAX_MS,
} from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { claimPayment, vaultOf } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import { type CardExecution, EndedElsewhere, retrieve } from './execution.ts';

/** One merchant_request_id as sent, and what was sent under it. */
export interface Creation {
  requestId: string;
  attempts: number;
  /** When the first attempt that may have been executed was sent, epoch ms; null if none may have been. */
  inDoubtSince: number | null;
}

export type Created =
  /** `referenceId`: of the session it was made with, if another than this one. */
  | { follow: true; referenceId?: string | null }
  /** Nothing was sent, and the card or its session is gone: start over with another session. */
  | { again: true }
  | CardEnded;

/**
 * Sends the create, and repeats it under the same id with the same bytes while its answer is lost, the vault has the card and the
 * acquirer still repeats its first answer. After that only an event, or people, can name the payment.
 */
export async function createPayment(
  execution: CardExecution,
  creation: Creation,
  session: Session,
  keepCard: boolean,
): Promise<Created> {
  const { terms } = execution;
  if (execution.amount !== session.amount) return { again: true };
  const deadline = Date.now() + terms.deadlineMs;
  // From here on the amount is fixed.
  execution.sent = true;
  execution.show('submitting');
  for (let pauses = 0; ; pauses += 1) {
    // An earlier payment, declined because a 3DS setup was missing, took the money after all.
    const taken = execution.takenBy === undefined ? undefined : await claimed(execution, execution.takenBy);
    if (taken !== undefined) return taken;
    const sentAt = Date.now();
    const result = await sendCreate(execution, creation, session, keepCard);
    switch (result.outcome) {
      case 'answered':
        for (const event of result.events) execution.receive(event);
        execution.answered(result.payment);
        return { follow: true, referenceId: result.referenceId };
      case 'ended':
        throw new EndedElsewhere();
      case 'ambiguous':
        creation.inDoubtSince ??= sentAt;
        execution.note(`create in doubt: ${result.why}`);
        if (result.barred === true) return awaitName(execution);
        break;
      case 'card-gone':
        loseCard(execution);
        return creation.inDoubtSince === null ? nothingSent(execution) : awaitName(execution);
      case 'refused':
        // After an attempt in doubt, the refusal may be about that attempt's payment.
        if (creation.inDoubtSince === null)
          return { end: 'failed', reason: because('refused-by-acquirer', result.why) };
        break;
      case 'not-sent':
        if (creation.inDoubtSince !== null) break;
        if (Date.now() >= deadline) return { end: 'failed', reason: because('never-sent') };
        execution.show('submitting', because('acquirer-unreachable'));
        break;
    }
    if (creation.inDoubtSince !== null) await execution.enter('resolving', because('payment-outcome-unknown'));
    const pause = doublingPause(pauses, Math.ceil(terms.pollMs / 5), terms.pollMaxMs);
    await condition(() => namesReceived(execution, 'verified').length > 0, pause);
    const named = namesReceived(execution, 'verified')[0] ?? (await ownedName(execution));
    if (named !== undefined || !mayRepeat(creation, terms)) return awaitName(execution);
  }
}

/** The attempt used up the session, sent or not: the next one needs a new session, and may have another amount. */
function nothingSent(execution: CardExecution): Created {
  execution.sent = false;
  return { again: true };
}

const mayRepeat = ({ inDoubtSince }: Creation, { repeatWindowMs }: CardTerms): boolean =>
  inDoubtSince === null || Date.now() - inDoubtSince < repeatWindowMs;

/** Payments that events of this intent named and that are neither followed yet nor known to be somebody else's. */
function namesReceived(execution: CardExecution, trust: CardEvent['trust']): string[] {
  return execution.events
    .filter((event) => event.trust === trust && event.paymentId !== '' && event.paymentId !== execution.paymentId)
    .map(({ paymentId }) => paymentId)
    .filter((paymentId) => !execution.foreign.has(paymentId) && !execution.over.has(paymentId));
}

/**
 * Waits for somebody to name the payment: nothing more may be sent, no answer has come, and the interface finds no payment
 * without its id.
 */
export async function awaitName(execution: CardExecution): Promise<Created> {
  const { terms } = execution;
  const reason = because('payment-outcome-unknown');
  const until = Date.now() + terms.patienceMs;
  await execution.enter('resolving', reason);
  for (let views = 0; ; views += 1) {
    const { received } = execution;
    const named = namesReceived(execution, 'verified')[0] ?? (await ownedName(execution));
    const taken = named === undefined ? undefined : await claimed(execution, named);
    if (taken !== undefined) return taken;
    if (named !== undefined || execution.received > received) continue;
    const undecided = namesReceived(execution, 'hint').length > 0;
    const pause = doublingPause(views, terms.pollMs, terms.pollMaxMs * (undecided ? 1 : 12));
    const left = until - Date.now();
    if (left > 0) {
      await condition(() => execution.received > received, undecided ? Math.min(pause, left) : left);
      continue;
    }
    const answer = await askOperator(execution, reason, pause);
    if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
    const adopted = typeof answer === 'object' ? await claimed(execution, answer.adopt) : undefined;
    if (adopted !== undefined) return adopted;
  }
}

/** A hint is not verified: the payment it names is ours only if the acquirer shows it under one of our ids. */
async function ownedName(execution: CardExecution): Promise<string | undefined> {
  for (const paymentId of namesReceived(execution, 'hint')) {
    const view = await retrieve(paymentId);
    if (view === undefined) continue;
    if (view.merchantRequestId !== undefined && execution.requestIds.includes(view.merchantRequestId)) return paymentId;
    execution.foreign.add(paymentId);
  }
  return undefined;
}

/** Follows a payment that was named; undefined if it belongs to another intent. */
async function claimed(execution: CardExecution, paymentId: string): Promise<{ follow: true } | undefined> {
  const { merchantRequestId, card } = execution;
  if (!(await claimPayment({ merchantRequestId, paymentId }, 'takes the payment that was named'))) {
    execution.foreign.add(paymentId);
    return undefined;
  }
  execution.follows(paymentId);
  // The card is not needed any more. Not awaited: a gateway that is gone has forgotten it already.
  if (card !== undefined) void callVault(() => vaultOf(card).forgetCard(card));
  return { follow: true };
}

async function sendCreate(
  execution: CardExecution,
  creation: Creation,
  { card, amount, referenceId }: Session,
  keepCard: boolean,
): Promise<CardSendResult> {
  creation.attempts += 1;
  execution.spent = card;
  const { merchantRequestId, currency, over, ready } = execution;
  const { requestId, attempts: attempt } = creation;
  const result = await callVault(() =>
    vaultOf(card).createCardPayment({
      merchantRequestId,
      requestId,
      attempt,
      card,
      amount,
      currency,
      paymentType: ready.paymentType,
      referenceId,
      keepCard,
      over: [...over],
    }),
  );
  if (typeof result === 'object') return result;
  // A gateway that took the task may have sent, even if the store does not show it.
  return result === 'never-began' ? { outcome: 'card-gone' } : { outcome: 'ambiguous', why: 'the gateway was lost' };
}

export type CardEnded = { end: CardEnd; reason: Reason | null };

/** A card, and the 3DS session made for it and this amount; both are for one create. */
export interface Session {
  card: CardHandle;
  amount: string;
  /** Null without a 3DS setup. */
  referenceId: string | null;
}

/**
 * Leads a payment to the point where its create can be sent: a card, a 3DS setup, the time for the device fingerprint (interface
 * section 4, card flow 1 and 2). Nothing here can take money. A setup is bound to the amount and to one session: if either
 * changes, another setup is made.
 */
export async function obtainSession(execution: CardExecution, threeDs: 'setup' | 'skip'): Promise<Session | CardEnded> {
  const { terms } = execution;
  const deadline = Date.now() + terms.deadlineMs;
  for (let failures = 0; ; ) {
    const card = await cardInHand(execution, deadline);
    if (execution.inbox.cancel !== undefined) return { end: 'cancelled', reason: because('cancelled-by-request') };
    if (card === undefined) return { end: 'failed', reason: because('card-not-given') };
    const { amount } = execution;
    if (threeDs === 'skip') return { card, amount, referenceId: null };
    execution.show('setting-up', execution.reason);
    execution.fingerprintDone = false;
    const { merchantRequestId, currency } = execution;
    execution.spent = card;
    const setUp = await callVault(() => vaultOf(card).setUpCard({ merchantRequestId, card, amount, currency }));
    if (setUp === 'never-began' || (setUp !== 'lost' && setUp.outcome === 'card-gone')) {
      loseCard(execution);
      continue;
    }
    if (setUp === 'lost' || setUp.outcome === 'unavailable') {
      if (Date.now() >= deadline) return { end: 'failed', reason: because('set-up-failed') };
      execution.show('setting-up', because('acquirer-unreachable'));
      await condition(
        () => execution.inbox.cancel !== undefined,
        doublingPause(failures, terms.pollMs, terms.pollMaxMs),
      );
      failures += 1;
      continue;
    }
    if (setUp.outcome === 'refused') {
      return { end: 'failed', reason: because('refused-by-acquirer', setUp.why) };
    }
    const { referenceId } = setUp;
    if (await collectFingerprint(execution, amount, setUp.dataCollectionInfo)) return { card, amount, referenceId };
  }
}

/** The card given, or the next one; undefined if none came in time or the payment is cancelled. */
async function cardInHand(execution: CardExecution, deadline: number): Promise<CardHandle | undefined> {
  if (execution.card === undefined) {
    await execution.enter('awaiting-card', execution.reason ?? because('card-needed'));
    await condition(
      () => execution.card !== undefined || execution.inbox.cancel !== undefined,
      Math.max(1, deadline - Date.now()),
    );
    if (execution.card !== undefined) execution.show('received');
  }
  return execution.card;
}

/** The vault says that the card is gone: the gateway that held it, or the card's time, is over. */
function loseCard(execution: CardExecution): void {
  execution.card = undefined;
  execution.show(execution.state, because('card-lost'));
}

/** Whether the session can be used: it is fresh, still for the right amount, and no cancel was requested. */
async function collectFingerprint(execution: CardExecution, amount: string, info: unknown): Promise<boolean> {
  const readyAt = Date.now();
  const moved = (): boolean => execution.amount !== amount || execution.inbox.cancel !== undefined;
  execution.dataCollectionInfo = info ?? null;
  execution.show('awaiting-fingerprint');
  if (execution.dataCollectionInfo !== null) {
    await condition(() => execution.fingerprintDone || moved(), execution.terms.fingerprintWaitMs);
  }
  execution.dataCollectionInfo = null;
  return !moved() && Date.now() - readyAt <= SESSION_MAX_MS;
}

/**
 * Runs an activity in the gateway that holds the card. `never-began`: no gateway took the task in time, so none ever will.
 * `lost`: it was taken, and nobody knows how far it got.
 */
export async function callVault<T>(call: () => Promise<T>): Promise<T | 'never-began' | 'lost'> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    const never = cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
    return never ? 'never-began' : 'lost';
  }
}
