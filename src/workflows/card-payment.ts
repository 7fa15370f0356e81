import { ApplicationFailure, allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import type { PreparedCard, StoredCardState } from '../activities/cards.ts';
import { type CardEnd, type CardPaymentInput, isCardEnd } from '../domain/card-payment.ts';
import type { Reason } from '../domain/payout-state.ts';
import { awaitName, callVault, createPayment } from './card/create-payment.ts';
import { CardExecution, EndedElsewhere } from './card/execution.ts';
import { followPayment } from './card/follow-payment.ts';
import { handleCardMessages } from './card/handlers.ts';
import type { Ended } from './card/position.ts';
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
      execution.takesOver(prepared);
      const ended = await collect(execution);
      const unknown = await sentUnknowingly(execution, input, ended, followed);
      if (unknown === undefined) return await storeEnd(execution, ended);
      prepared = unknown;
    } catch (error) {
      if (!(error instanceof EndedElsewhere)) throw error;
      return endInStore(execution, input);
    }
  }
}

/** To the end of the payment: each phase leads to the next. */
async function collect(execution: CardExecution): Promise<Ended> {
  for (;;) {
    const { phase } = execution;
    switch (phase.name) {
      case 'unsent':
        await createPayment(execution);
        break;
      case 'sent':
        await awaitName(execution);
        break;
      case 'placed':
        await followPayment(execution);
        break;
      case 'ended':
        return phase;
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
  { as, reason }: Ended,
  followed: Set<string>,
): Promise<PreparedCard | undefined> {
  if (as === 'succeeded' || reason?.code === 'closed-by-operator') return undefined;
  followed.add(execution.paymentId ?? '');
  const found = await prepare(input, execution.paymentId === null);
  if (found.kind === 'ended') return found;
  const { paymentId = null, inDoubtSince = null } = found.earlier ?? {};
  const what = paymentId ?? (inDoubtSince === null ? undefined : `in doubt since ${inDoubtSince}`);
  if (what === undefined || followed.has(what)) return undefined;
  followed.add(what);
  return found;
}

async function storeEnd(execution: CardExecution, { as: end, reason }: Ended): Promise<CardPaymentResult> {
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

function earlierEnd(execution: CardExecution, { state, reason, paymentId }: StoredCardState): CardPaymentResult {
  const end = state as CardEnd;
  execution.ends(end, reason, paymentId);
  execution.show(end, reason);
  return resultOf(execution, end);
}

function resultOf({ merchantRequestId, reason, paymentId }: CardExecution, state: CardEnd): CardPaymentResult {
  return { merchant_request_id: merchantRequestId, state, reason, payment_id: paymentId };
}
