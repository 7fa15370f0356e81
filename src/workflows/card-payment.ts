import { ApplicationFailure, allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import type { PreparedCard } from '../activities/cards.ts';
import { type CardEnd, type CardPaymentInput, isCardEnd, RESTARTS_MAX } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import {
  awaitName,
  type CardEnded,
  type Creation,
  callVault,
  createPayment,
  obtainSession,
  type Session,
} from './card/create-payment.ts';
import { CardExecution, EndedElsewhere, type ReadyCard } from './card/execution.ts';
import { Following, followPayment, type OpenResume } from './card/follow-payment.ts';
import { handleCardMessages } from './card/handlers.ts';
import { hadRunBefore } from './execution.ts';
import { prepareCard, vaultOf } from './proxies.ts';

/** Result of a card payment. Every business outcome is a return value. */
export interface CardPaymentResult {
  merchant_request_id: string;
  state: CardEnd;
  reason: Reason | null;
  payment_id: string | null;
}

/**
 * One card payment, from the intent to a proven end: a card, a 3DS setup, the create, the cardholder's challenge, the event that
 * says how it ended (interface sections 3, 4 and 6). The card itself is never here: see `CardHandle`.
 */
export async function cardPayment(given: Partial<CardPaymentInput>): Promise<CardPaymentResult> {
  const input = given ?? {};
  const execution = new CardExecution(input);
  handleCardMessages(execution);
  return CancellationScope.nonCancellable(async () => {
    const result = await collectOnce(execution, input);
    await condition(allHandlersFinished);
    return result;
  });
}

async function collectOnce(execution: CardExecution, input: Partial<CardPaymentInput>): Promise<CardPaymentResult> {
  let prepared = await prepare(input);
  for (const followed = new Set<string>(); ; ) {
    if (prepared.kind === 'ended') return earlierEnd(execution, prepared);
    try {
      const ended = await collect(execution, takeOver(execution, prepared, input));
      const unknown = await sentUnknowingly(execution, input, ended, followed);
      if (unknown === undefined) return await endAs(execution, ended);
      prepared = unknown;
    } catch (error) {
      if (!(error instanceof EndedElsewhere)) throw error;
      return endInStore(execution, input);
    }
  }
}

/**
 * A run that was reset to before its create does not know that it sent one, so an unpaid end is not stored on its word alone,
 * except when people have closed the payment. Returns what to follow instead, each payment and each doubt once.
 */
async function sentUnknowingly(
  execution: CardExecution,
  input: Partial<CardPaymentInput>,
  { end, reason }: CardEnded,
  followed: Set<string>,
): Promise<PreparedCard | undefined> {
  if (end === 'succeeded' || reason?.code === 'closed-by-operator') return undefined;
  followed.add(execution.paymentId ?? '');
  const found = await prepare(input, execution.paymentId === null);
  if (found.kind === 'ended') return found;
  const { paymentId = null, inDoubtSince = null } = found.earlier ?? {};
  const what = paymentId ?? (inDoubtSince === null ? undefined : `in doubt since ${inDoubtSince}`);
  if (what === undefined || followed.has(what)) return undefined;
  followed.add(what);
  return found;
}

/** Collects, to the end of the payment. */
async function collect(execution: CardExecution, begun: CardProgress): Promise<CardEnded> {
  const { requestIds, earlier } = execution.ready;
  let session: Session | undefined;
  for (;;) {
    const mayRestart = begun.threeDs === 'skip' && begun.creations < RESTARTS_MAX;
    const { paymentId } = begun;
    begun.paymentId = undefined;
    let { referenceId } = begun;
    if (paymentId !== undefined) {
      execution.follows(paymentId);
      execution.declinedForSetUp = earlier?.wantsSetUp === true && mayRestart;
    } else if (session === undefined && begun.creation.inDoubtSince !== null) {
      execution.sent = true;
      const named = await awaitName(execution);
      if ('end' in named) return named;
    } else {
      const ready = await obtainSession(execution, begun.threeDs);
      if ('end' in ready) return ready;
      session = ready;
      const created = await createPayment(execution, begun.creation, session, mayRestart);
      if ('end' in created) return created;
      if ('again' in created) continue;
      referenceId = created.referenceId === undefined ? session.referenceId : created.referenceId;
    }
    execution.sent = true;
    const { resumeIds, resume } = begun;
    const served = execution.resumed ? execution.completions : begun.served;
    const followed = { paymentId: execution.paymentId ?? '', referenceId, resumeIds, resume, mayRestart, served };
    const concluded = await followPayment(new Following(execution, followed));
    if ('end' in concluded) return concluded;
    execution.setAside();
    begun.threeDs = 'setup';
    begun.creations += 1;
    begun.creation = { requestId: requestIds.create[begun.creations] ?? '', attempts: 0, inDoubtSince: null };
  }
}

async function endAs(execution: CardExecution, { end, reason }: CardEnded): Promise<CardPaymentResult> {
  const { card, paymentId, received } = execution;
  const stored = await execution.enter(end, reason);
  // Events that arrived while the end was stored went to this workflow only: have the store compare them too.
  if (execution.received > received)
    await execution.record({ state: end, reason }, 'compares the last events with the end');
  // No answer has used up the card and none will: the vault need not hold it until it expires.
  if (card !== undefined && paymentId === null) await callVault(() => vaultOf(card).forgetCard(card));
  // Another run stored an end first: that one counts.
  if (stored !== undefined && isCardEnd(stored.state) && stored.state !== end) return earlierEnd(execution, stored);
  return resultOf(execution, end);
}

const prepare = (input: Partial<CardPaymentInput>, endsWithout = false): Promise<PreparedCard> =>
  prepareCard({ input, ranBefore: hadRunBefore(), endsWithout }, 'claims the card payment');

async function endInStore(execution: CardExecution, input: Partial<CardPaymentInput>): Promise<CardPaymentResult> {
  const found = await prepare(input);
  if (found.kind === 'ended') return earlierEnd(execution, found);
  throw ApplicationFailure.nonRetryable('the store showed an end and shows none now', 'EndLost');
}

function earlierEnd(
  execution: CardExecution,
  { state, reason, paymentId }: Omit<Extract<PreparedCard, { kind: 'ended' }>, 'kind'>,
) {
  execution.paymentId = paymentId;
  execution.show(state, reason);
  return resultOf(execution, state as CardEnd);
}

function resultOf(execution: CardExecution, state: CardEnd): CardPaymentResult {
  const { merchantRequestId, reason, paymentId } = execution;
  return { merchant_request_id: merchantRequestId, state, reason, payment_id: paymentId };
}

/** Progress of a payment, in this run or earlier ones. */
interface CardProgress {
  /** Index of the create, from 0. */
  creations: number;
  creation: Creation;
  /** The payment it made, if known; followed once. */
  paymentId: string | undefined;
  /** Id of the 3DS session it was made with; null without a setup or if unknown. */
  referenceId: string | null;
  /** Whether it is, or was, made with a 3DS setup. */
  threeDs: 'setup' | 'skip';
  resumeIds: string[];
  resume: OpenResume | undefined;
  /** Completions of challenges that do not belong to this card. */
  served: { noticed: number; claimed: number };
}

/** Takes over what earlier runs sent, and what was received about the payment they followed. Returns how far they came. */
function takeOver(
  execution: CardExecution,
  ready: ReadyCard,
  { amount, three_ds: threeDs = 'setup' }: Partial<CardPaymentInput>,
): CardProgress {
  const { requestIds, earlier } = ready;
  execution.held = ready;
  // Unless the amount was changed in the meantime.
  if (execution.amount === amount) execution.amount = ready.amount;
  execution.requestIds.splice(0);
  execution.requestIds.push(...requestIds.create, ...requestIds.resume);
  execution.resumed = earlier?.resumed ?? false;
  for (const paymentId of earlier?.before ?? []) execution.over.add(paymentId);
  for (const event of earlier?.events ?? []) execution.receive(event);
  const { creation = 0, attempts = 0, inDoubtSince = null, resumes: over = 0, openResume } = earlier ?? {};
  const resumeIds = requestIds.resume.slice(over);
  const [requestId = '', ...rest] = resumeIds;
  return {
    creations: creation,
    creation: { requestId: requestIds.create[creation] ?? '', attempts, inDoubtSince },
    paymentId: earlier?.paymentId ?? undefined,
    referenceId: earlier?.referenceId ?? null,
    threeDs: earlier?.wantsSetUp === true ? 'skip' : threeDs,
    resumeIds: openResume === undefined ? resumeIds : rest,
    resume: openResume === undefined ? undefined : { requestId, ...openResume, resumedBefore: true, inDoubt: true },
    served: { noticed: 0, claimed: 0 },
  };
}
