import { condition, sleep } from '@temporalio/workflow';
import type { CardEvent, CardPaymentType } from '../../domain/card-payment.ts';
import type { CardSendResult } from '../../domain/card-sending.ts';
import type { CardTerms } from '../../domain/card-terms.ts';
import { doublingPause } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { read, vaultOf } from '../proxies.ts';
import { askOperator } from './ask-operator.ts';
import { callVault } from './call-vault.ts';
import type { CardLife } from './life.ts';
import { retrieve } from './look.ts';
import { type CardEnded, loseCard, type Session } from './obtain-session.ts';

/** One merchant_request_id on the wire and what was sent under it. */
export interface Creation {
  requestId: string;
  attempts: number;
  /** An attempt may have been executed. */
  inDoubt: boolean;
  /** Of the first attempt in doubt, workflow time. */
  firstSentAt: number | undefined;
}

export type Created =
  | { placed: true }
  /** Nothing was sent and the card or its session is gone: it begins again with another session. */
  | { again: true }
  | { endedInStore: true }
  | CardEnded;

/**
 * Sends the create once, and again under the same id with the same bytes while its answer is lost, the vault has the card
 * and the window of the acquirer's memory is open. After that only an event can name the payment, or people.
 */
export async function createPayment(
  life: CardLife,
  terms: CardTerms,
  creation: Creation,
  session: Session,
  options: { paymentType: CardPaymentType; keepCard: boolean; runId: string; workflowId: string },
): Promise<Created> {
  if (life.amount !== session.amount) return { again: true };
  const deadline = Date.now() + terms.deadlineMs;
  // From here on the amount stands.
  life.sent = true;
  life.show('submitting');
  for (let pauses = 0; ; pauses += 1) {
    creation.firstSentAt ??= Date.now();
    const result = await sendCreate(life, creation, session, options);
    switch (result.outcome) {
      case 'answered':
        for (const event of result.events) life.hear(event);
        life.answered(result.payment);
        return { placed: true };
      case 'ended':
        return { endedInStore: true };
      case 'ambiguous':
        creation.inDoubt = true;
        life.note(`create in doubt: ${result.why}`);
        break;
      case 'card-gone':
        loseCard(life);
        if (!creation.inDoubt) return nothingSent(life, creation);
        return awaitName(life, terms);
      case 'refused':
        // After an attempt in doubt it may be about that one's own payment.
        if (!creation.inDoubt) return { end: 'failed', reason: because('refused-by-acquirer', result.why) };
        break;
      case 'not-sent':
        if (creation.inDoubt) break;
        creation.firstSentAt = undefined;
        if (Date.now() >= deadline) return { end: 'failed', reason: because('never-sent') };
        life.show('submitting', because('acquirer-unreachable'));
        if (Date.now() >= session.card.expires_at) return nothingSent(life, creation);
        break;
    }
    if (creation.inDoubt) await life.enter('resolving', because('payment-outcome-unknown'));
    const pause = doublingPause(pauses, Math.ceil(terms.lookAgainMs / 5), terms.lookAgainMaxMs);
    await condition(() => nameHeard(life) !== undefined, pause);
    if (nameHeard(life) !== undefined || !mayRepeat(creation, session, terms)) return awaitName(life, terms);
  }
}

/** The session is used up by the attempt, sent or not: the next one has a session of its own, and may have another amount. */
function nothingSent(life: CardLife, creation: Creation): Created {
  creation.firstSentAt = undefined;
  life.sent = false;
  return { again: true };
}

function mayRepeat({ firstSentAt = 0 }: Creation, { card }: Session, { repeatWindowMs }: CardTerms): boolean {
  const now = Date.now();
  return now < card.expires_at && now - firstSentAt < repeatWindowMs;
}

/** A payment that an event of this intent has named and that is neither followed yet nor somebody else's. */
function nameHeard(life: CardLife): CardEvent | undefined {
  return life.events.find(
    ({ paymentId }) => paymentId !== '' && paymentId !== life.paymentId && !life.foreign.has(paymentId),
  );
}

/** Nothing may be sent any more and no answer has come: the interface finds no payment without its id. */
export async function awaitName(life: CardLife, terms: CardTerms): Promise<Created> {
  const reason = because('payment-outcome-unknown');
  await life.enter('resolving', reason);
  await condition(() => nameHeard(life) !== undefined, terms.patienceMs);
  for (let failures = 0; ; ) {
    const named = nameHeard(life);
    if (named !== undefined) {
      if (named.trust === 'verified') return adopted(life, named.paymentId);
      const whose = await ownerOf(life, named.paymentId);
      if (whose === 'ours') return adopted(life, named.paymentId);
      if (whose === 'unknown') {
        await sleep(doublingPause(failures, terms.lookAgainMs, terms.lookAgainMaxMs));
        failures += 1;
      }
      continue;
    }
    const answer = await askOperator(life, reason, () => nameHeard(life) !== undefined);
    if (answer === 'closed') return { end: 'failed', reason: because('closed-by-operator') };
    if (typeof answer === 'object') return adopted(life, answer.adopt);
  }
}

/** Nobody has verified a hint: the payment it names is ours only if the acquirer shows it under an id of ours. */
async function ownerOf(life: CardLife, paymentId: string): Promise<'ours' | 'foreign' | 'unknown'> {
  const view = await retrieve(paymentId);
  if (view === undefined) return 'unknown';
  if (view.merchantRequestId !== undefined && life.requestIds.includes(view.merchantRequestId)) return 'ours';
  life.foreign.add(paymentId);
  return 'foreign';
}

function adopted(life: CardLife, paymentId: string): Created {
  life.follows(paymentId);
  return { placed: true };
}

async function sendCreate(
  life: CardLife,
  creation: Creation,
  { card, amount, referenceId }: Session,
  { paymentType, keepCard, runId, workflowId }: Parameters<typeof createPayment>[4],
): Promise<CardSendResult> {
  creation.attempts += 1;
  const { merchantRequestId, currency } = life;
  const { requestId, attempts: attempt } = creation;
  const result = await callVault(() =>
    vaultOf(card).createCardPayment({
      merchantRequestId,
      requestId,
      attempt,
      workflowId,
      card,
      amount,
      currency,
      paymentType,
      referenceId,
      keepCard,
    }),
  );
  if (typeof result === 'object') return result;
  // Takes the attempt's number: a sender that has not recorded it has sent nothing and never will.
  const fence = { reference: requestId, attempt, runId };
  const unsent = await read('fenceAttempt', fence, 'asks whether the create was begun');
  return unsent ? { outcome: 'card-gone' } : { outcome: 'ambiguous', why: 'the gateway was lost' };
}
