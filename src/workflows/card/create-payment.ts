import { ActivityFailure, condition, TimeoutFailure } from '@temporalio/workflow';
import { type CardEvent, type CardHandle, type CardSendResult, SESSION_MAX_MS } from '../../domain/card-payment.ts';
import { because } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { claimPayment, vaultOf } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import { type CardExecution, EndedElsewhere, retrieve } from './execution.ts';

/**
 * Obtains a card and a session, sends the create, and repeats it under the same id with the same bytes while its answer is lost,
 * the vault has the card and the acquirer still repeats its first answer. After that only an event, or people, can name the
 * payment.
 */
export async function createPayment(execution: CardExecution): Promise<void> {
  const { terms, position } = execution;
  const session = await obtainSession(execution);
  if (session === undefined || execution.position.amount !== session.amount) return;
  const deadline = Date.now() + terms.deadlineMs;
  execution.sends(session.referenceId);
  for (let pauses = 0; ; pauses += 1) {
    // An earlier payment, declined because a 3DS setup was missing, took the money after all.
    if (execution.takenBy !== undefined && (await claims(execution, execution.takenBy))) return;
    const sentAt = Date.now();
    const result = await sendCreate(execution, session);
    const isFirst = position.inDoubtSince === null;
    switch (result.outcome) {
      case 'answered':
        for (const event of result.events) execution.receive(event);
        return execution.answered(result.payment, result.referenceId);
      case 'ended':
        throw new EndedElsewhere();
      case 'ambiguous':
        position.inDoubtSince ??= sentAt;
        execution.note(`create in doubt: ${result.why}`);
        if (result.barred === true) return;
        break;
      case 'card-gone':
        execution.losesCard();
        if (isFirst) execution.sentNothing();
        return;
      case 'refused':
        // After an attempt in doubt, the refusal may be about that attempt's payment.
        if (isFirst) return execution.ends('failed', because('refused-by-acquirer', result.why));
        break;
      case 'not-sent':
        if (!isFirst) break;
        if (Date.now() >= deadline) return execution.ends('failed', because('never-sent'));
        execution.show('submitting', because('acquirer-unreachable'));
        break;
    }
    if (position.inDoubtSince !== null) await execution.enter('resolving', because('payment-outcome-unknown'));
    const pause = doublingPause(pauses, Math.ceil(terms.pollMs / 5), terms.pollMaxMs);
    await condition(() => namesReceived(execution, 'verified').length > 0, pause);
    const named = namesReceived(execution, 'verified')[0] ?? (await ownedName(execution));
    if (named !== undefined || !mayRepeat(execution)) return;
  }
}

const mayRepeat = ({ position: { inDoubtSince }, terms }: CardExecution): boolean =>
  inDoubtSince === null || Date.now() - inDoubtSince < terms.repeatWindowMs;

/** Payments that events of this intent named and that are neither followed yet nor known to be somebody else's. */
function namesReceived({ position }: CardExecution, trust: CardEvent['trust']): string[] {
  const known = ['', ...position.foreign, ...position.over];
  return position.events
    .filter((event) => event.trust === trust && !known.includes(event.paymentId))
    .map(({ paymentId }) => paymentId);
}

/**
 * Waits for somebody to name the payment: nothing more may be sent, no answer has come, and the interface finds no payment
 * without its id.
 */
export async function awaitName(execution: CardExecution): Promise<void> {
  const { terms } = execution;
  const reason = because('payment-outcome-unknown');
  const until = Date.now() + terms.patienceMs;
  await execution.enter('resolving', reason);
  for (let views = 0; ; views += 1) {
    const { received } = execution;
    const named = namesReceived(execution, 'verified')[0] ?? (await ownedName(execution));
    if (named !== undefined && (await claims(execution, named))) return;
    if (named !== undefined || execution.received > received) continue;
    const undecided = namesReceived(execution, 'hint').length > 0;
    const pause = doublingPause(views, terms.pollMs, terms.pollMaxMs * (undecided ? 1 : 12));
    const left = until - Date.now();
    if (left > 0) {
      await condition(() => execution.received > received, undecided ? Math.min(pause, left) : left);
      continue;
    }
    const answer = await askOperator(execution, reason, pause);
    if (answer === 'closed') return execution.ends('failed', because('closed-by-operator'));
    if (answer !== 'read' && (await claims(execution, answer.adopt))) return;
  }
}

/** A hint is not verified: the payment it names is ours only if the acquirer shows it under one of our ids. */
async function ownedName(execution: CardExecution): Promise<string | undefined> {
  for (const paymentId of namesReceived(execution, 'hint')) {
    const view = await retrieve(paymentId);
    if (view === undefined) continue;
    if (view.merchantRequestId !== undefined && execution.expected.requestIds.includes(view.merchantRequestId))
      return paymentId;
    execution.position.foreign.push(paymentId);
  }
  return undefined;
}

/** Follows a payment that was named; false if it belongs to another intent. */
async function claims(execution: CardExecution, paymentId: string): Promise<boolean> {
  const { merchantRequestId, card } = execution;
  if (!(await claimPayment({ merchantRequestId, paymentId }, 'takes the payment that was named'))) {
    execution.position.foreign.push(paymentId);
    return false;
  }
  execution.follows(paymentId);
  // The card is not needed any more. Not awaited: a gateway that is gone has forgotten it already.
  if (card !== undefined) void callVault(() => vaultOf(card).forgetCard(card));
  return true;
}

async function sendCreate(execution: CardExecution, { card, amount, referenceId }: Session): Promise<CardSendResult> {
  const { merchantRequestId, position, ready } = execution;
  position.attempts += 1;
  const { currency, attempts: attempt, creation } = position;
  const result = await callVault(() =>
    vaultOf(card).createCardPayment({
      ...{ merchantRequestId, requestId: ready.requestIds.create[creation] ?? '', attempt },
      ...{ card, amount, currency, paymentType: ready.paymentType, referenceId },
      keepCard: execution.skipsSetUp,
      over: [...position.over],
    }),
  );
  if (typeof result === 'object') return result;
  // A gateway that took the task may have sent, even if the store does not show it.
  return result === 'never-began' ? { outcome: 'card-gone' } : { outcome: 'ambiguous', why: 'the gateway was lost' };
}

/** A card, and the 3DS session made for it and this amount; both are for one create. */
interface Session {
  card: CardHandle;
  amount: string;
  /** Null without a 3DS setup. */
  referenceId: string | null;
}

/**
 * Leads a payment to the point where its create can be sent: a card, a 3DS setup, the time for the device fingerprint (interface
 * section 4, card flow 1 and 2). Nothing here can take money. A setup is bound to the amount and to one session: if either
 * changes, another setup is made. Undefined: the payment has ended.
 */
async function obtainSession(execution: CardExecution): Promise<Session | undefined> {
  const { terms, merchantRequestId } = execution;
  const deadline = Date.now() + terms.deadlineMs;
  for (let failures = 0; ; ) {
    const card = await cardInHand(execution, deadline);
    if (execution.inbox.cancel !== undefined) return execution.ends('cancelled', because('cancelled-by-request'));
    if (card === undefined) return execution.ends('failed', because('card-not-given'));
    const { amount, currency } = execution.position;
    if (execution.skipsSetUp) return { card, amount, referenceId: null };
    execution.show('setting-up', execution.reason);
    execution.collects(null);
    const setUp = await callVault(() => vaultOf(card).setUpCard({ merchantRequestId, card, amount, currency }));
    if (setUp === 'never-began' || (setUp !== 'lost' && setUp.outcome === 'card-gone')) {
      execution.losesCard();
      continue;
    }
    if (setUp === 'lost' || setUp.outcome === 'unavailable') {
      if (Date.now() >= deadline) return execution.ends('failed', because('set-up-failed'));
      execution.show('setting-up', because('acquirer-unreachable'));
      const pause = doublingPause(failures, terms.pollMs, terms.pollMaxMs);
      await condition(() => execution.inbox.cancel !== undefined, pause);
      failures += 1;
      continue;
    }
    if (setUp.outcome === 'refused') return execution.ends('failed', because('refused-by-acquirer', setUp.why));
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

/** Whether the session can be used: it is fresh, still for the right amount, and no cancel was requested. */
async function collectFingerprint(execution: CardExecution, amount: string, info: unknown): Promise<boolean> {
  const readyAt = Date.now();
  const moved = (): boolean => execution.position.amount !== amount || execution.inbox.cancel !== undefined;
  const isCollected = (): boolean => execution.phase.name === 'unsent' && execution.phase.isCollected;
  execution.collects(info ?? null);
  execution.show('awaiting-fingerprint');
  if (info != null) await condition(() => isCollected() || moved(), execution.terms.fingerprintWaitMs);
  execution.collects(null);
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
