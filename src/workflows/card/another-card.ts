import { condition } from '@temporalio/workflow';
import { asksForAnotherCard } from '../../domain/another-card.ts';
import { endOfStatus } from '../../domain/card-payment.ts';
import type { CardTerms } from '../../domain/card-terms.ts';
import { because } from '../../domain/reasons.ts';
import { vaultOf } from '../proxies.ts';
import { callVault } from './call-vault.ts';
import { claimed } from './create-payment.ts';
import type { CardExecution } from './execution.ts';
import { lookAtPayment } from './look.ts';
import type { CardEnded } from './obtain-session.ts';

/** Another card is in hand; or a payment of this intent has taken the money after all; or it ends. */
export type Offered = { another: true } | { follow: string } | CardEnded;

/**
 * Waits for another card where the one before has taken nothing for certain: an end without money that no answer is missing
 * for, and that retrieve itself shows. Nothing can take money meanwhile, so that amount and cancel are open again.
 */
export async function offerAnotherCard(execution: CardExecution, terms: CardTerms, ended: CardEnded): Promise<Offered> {
  const { paymentId, uncertain } = execution;
  const tried = execution.cardsOver + 1;
  const reason = asksForAnotherCard({ ...ended, tried, uncertain }, terms);
  if (reason === undefined) return ended;
  if (ended.reason?.code === 'card-declined') {
    const shown = await shownEnd(execution, paymentId);
    // It contradicts what was heard: people decide.
    if (shown === 'succeeded') return { follow: paymentId ?? '' };
    if (shown !== 'failed') return ended;
    execution.decline();
  }
  const { spent } = execution;
  execution.cardOver(terms.cards - tried);
  // A refusal has not used it up.
  if (spent !== undefined && ended.reason?.code !== 'card-declined')
    await callVault(() => vaultOf(spent).forgetCard(spent));
  const offered = await awaitCard(execution, terms, reason);
  // It ends by the payment it had.
  if ('end' in (offered ?? ended)) execution.paymentId = paymentId;
  return offered ?? ended;
}

async function awaitCard(
  execution: CardExecution,
  terms: CardTerms,
  reason: NonNullable<CardEnded['reason']>,
): Promise<Offered | undefined> {
  const until = Date.now() + terms.deadlineMs;
  // One may have come with the request that has started this run.
  if (execution.card === undefined) await execution.enter('awaiting-card', reason);
  for (;;) {
    const { inbox } = execution;
    const isOver = (): boolean => inbox.cancel !== undefined || execution.takenBy !== undefined;
    await condition(() => execution.card !== undefined || isOver(), Math.max(1, until - Date.now()));
    const { takenBy } = execution;
    if (takenBy === undefined) break;
    if ((await claimed(execution, takenBy)) !== undefined) return { follow: takenBy };
  }
  if (execution.inbox.cancel !== undefined) return { end: 'cancelled', reason: because('cancelled-by-request') };
  if (execution.card === undefined) return undefined;
  execution.show('received');
  return { another: true };
}

/** How retrieve shows that a payment has ended; an event's word alone is not enough to charge another card. */
async function shownEnd(
  execution: CardExecution,
  paymentId: string | null,
): Promise<'succeeded' | 'failed' | undefined> {
  if (paymentId === null) return undefined;
  const known = endOfStatus(execution.looks.get(paymentId)?.status ?? '');
  return known ?? endOfStatus((await lookAtPayment(execution, paymentId))?.status ?? '');
}
