import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  workflowInfo,
} from '@temporalio/workflow';
import type { EarlierRuns, PreparedCard } from '../activities/cards.ts';
import { type CardEnd, type CardPaymentInput, isCardEnd } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import { callVault } from './card/call-vault.ts';
import { awaitName, type Creation, createPayment } from './card/create-payment.ts';
import { followPayment } from './card/follow-payment.ts';
import { handleCardMessages } from './card/handlers.ts';
import { CardLife } from './card/life.ts';
import { type CardEnded, obtainSession, type Session } from './card/obtain-session.ts';
import { permanentCause, read, vaultOf } from './proxies.ts';

/** What a card payment returns. Every business outcome is a return value. */
export interface CardPaymentResult {
  merchant_request_id: string;
  state: CardEnd;
  reason: Reason | null;
  payment_id: string | null;
}

/**
 * One card payment, from the intent to a proven end: a card, a 3-D Secure set-up, the create, the cardholder's challenge, the
 * event that says how it ended (interface sections 3, 4 and 6). The card itself is never here: see `CardHandle`.
 */
export async function cardPayment(given: Partial<CardPaymentInput>): Promise<CardPaymentResult> {
  const input = given ?? {};
  const life = new CardLife(input);
  handleCardMessages(life);
  return CancellationScope.nonCancellable(async () => {
    const result = await collectOnce(life, input);
    await condition(allHandlersFinished);
    return result;
  });
}

async function collectOnce(life: CardLife, input: Partial<CardPaymentInput>): Promise<CardPaymentResult> {
  const prepared = await prepare(input);
  if (prepared.kind === 'ended') return earlierEnd(life, prepared);
  // Not when it was changed in the meantime.
  if (life.amount === input.amount) life.amount = prepared.amount;
  life.recordedAmount = prepared.amount;
  const { earlier, requestIds } = prepared;
  life.requestIds.push(...requestIds.create, ...requestIds.resume);
  const resumeIds = requestIds.resume.slice(earlier?.resumes ?? 0);
  let threeDs = input.three_ds ?? 'setup';
  let creations = earlier?.creation ?? 0;
  let creation = creationOf(requestIds.create[creations] ?? '', earlier);
  let session: Session | undefined;
  for (const event of earlier?.events ?? []) life.hear(event);

  for (;;) {
    const known = session === undefined ? earlier?.paymentIds.at(-1) : undefined;
    if (known !== undefined) life.follows(known);
    else if (session === undefined && creation.inDoubt) {
      life.sent = true;
      const named = await awaitName(life, prepared.terms);
      if ('end' in named) return endAs(life, named);
    } else {
      const ready = await obtainSession(life, prepared.terms, threeDs);
      if ('end' in ready) return endAs(life, ready);
      session = ready;
      const created = await createPayment(life, prepared.terms, creation, session, {
        ...ownIds(),
        paymentType: prepared.paymentType,
        keepCard: threeDs === 'skip' && creations < requestIds.create.length - 1,
      });
      if ('end' in created) return endAs(life, created);
      if ('endedInStore' in created) return endInStore(life, input);
      if ('again' in created) continue;
    }
    life.sent = true;
    const concluded = await followPayment(life, prepared.terms, {
      resumption: {
        ...ownIds(),
        paymentId: life.paymentId ?? '',
        referenceId: session?.referenceId ?? null,
        paymentType: prepared.paymentType,
      },
      resumeIds,
      mayRestart: threeDs === 'skip' && creations < requestIds.create.length - 1,
    });
    if ('endedInStore' in concluded) return endInStore(life, input);
    if ('end' in concluded) return endAs(life, concluded);
    threeDs = 'setup';
    creations += 1;
    creation = creationOf(requestIds.create[creations] ?? '', undefined);
    life.sent = false;
  }
}

function creationOf(requestId: string, earlier: EarlierRuns | undefined): Creation {
  return {
    requestId,
    attempts: earlier?.attempts ?? 0,
    inDoubt: earlier?.inDoubt ?? false,
    firstSentAt: undefined,
  };
}

function ownIds(): { workflowId: string; runId: string } {
  const { workflowId, runId } = workflowInfo();
  return { workflowId, runId };
}

async function endAs(life: CardLife, { end, reason }: CardEnded): Promise<CardPaymentResult> {
  const { card, paymentId, events } = life;
  const heard = events.length;
  const stored = await life.enter(end, reason);
  // What came in the moment of the end was taken by this workflow: the store compares it once more.
  if (events.length > heard) await life.record('compares the last events with the end');
  // No answer has used the card up, and nothing will: the vault need not keep it to the end of its time.
  if (card !== undefined && paymentId === null) await callVault(() => vaultOf(card).forgetCard(card));
  // Another run has stored its end before: that one counts.
  if (stored !== undefined && isCardEnd(stored.state) && stored.state !== end) return earlierEnd(life, stored);
  return resultOf(life, end);
}

/** A misuse fails the workflow with the activity's own words; anything else is a bug. */
async function prepare(input: Partial<CardPaymentInput>): Promise<PreparedCard> {
  try {
    return await read('prepareCard', { ...ownIds(), input }, 'claims the card payment');
  } catch (error) {
    const cause = permanentCause(error);
    if (cause === undefined) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type);
  }
}

async function endInStore(life: CardLife, input: Partial<CardPaymentInput>): Promise<CardPaymentResult> {
  const found = await prepare(input);
  if (found.kind === 'ended') return earlierEnd(life, found);
  throw ApplicationFailure.nonRetryable('the store showed an end and shows none now', 'EndLost');
}

function earlierEnd(
  life: CardLife,
  { state, reason, paymentId }: Omit<Extract<PreparedCard, { kind: 'ended' }>, 'kind'>,
) {
  life.paymentId = paymentId;
  life.show(state, reason);
  return resultOf(life, state as CardEnd);
}

function resultOf(life: CardLife, state: CardEnd): CardPaymentResult {
  const { merchantRequestId, reason, paymentId } = life;
  return { merchant_request_id: merchantRequestId, state, reason, payment_id: paymentId };
}
