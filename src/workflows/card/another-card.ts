import { condition, sleep } from '@temporalio/workflow';
import { asksForAnotherCard } from '../../domain/another-card.ts';
import { endOfStatus } from '../../domain/card-payment.ts';
import { doublingPause } from '../../domain/durations.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { vaultOf } from '../proxies.ts';
import { callVault } from './call-vault.ts';
import { claimed } from './create-payment.ts';
import type { CardExecution } from './execution.ts';
import type { CardEnded } from './obtain-session.ts';
import { readPayment } from './retrieve-payment.ts';

/** Maximum number of queries of a declined payment while retrieve shows no end. */
const LOOKS_MAX = 4;

/** Another card is there; or a payment of this intent took the money after all; or the payment ends. */
export type Offered = { another: true } | { follow: string } | CardEnded;

/**
 * Waits for another card if the previous one certainly took nothing: an unpaid end without any lost answer that retrieve itself
 * shows. Nothing can take money meanwhile, so the amount may be changed and the payment cancelled again.
 */
export async function offerAnotherCard(execution: CardExecution, ended: CardEnded): Promise<Offered> {
  const { paymentId, uncertain, terms } = execution;
  const tried = execution.cardsOver + 1;
  const reason = asksForAnotherCard({ ...ended, tried, uncertain }, terms);
  if (reason === undefined) return ended;
  const isDecline = ended.reason?.code === 'card-declined';
  if (isDecline) {
    const declined = paymentId ?? '';
    const shown = await shownEnd(execution, declined);
    // Contradicts what was heard: people decide.
    if (shown === 'succeeded') return { follow: declined };
    if (shown !== 'failed') return ended;
    execution.declined.add(declined);
  }
  const { spent } = execution;
  execution.cardOver(terms.cards - tried);
  // A refused card was not used up.
  if (spent !== undefined && !isDecline) await callVault(() => vaultOf(spent).forgetCard(spent));
  const offered = await awaitCard(execution, reason);
  // It ends with the payment it had.
  if ('end' in (offered ?? ended)) execution.paymentId = paymentId;
  return offered ?? ended;
}

async function awaitCard(execution: CardExecution, reason: Reason): Promise<Offered | undefined> {
  const until = Date.now() + execution.terms.deadlineMs;
  // A card may have come with the request that started this run.
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

/**
 * The end that retrieve shows for a payment: an event alone is not enough to charge another card, and retrieve may lag behind it
 * for a while.
 */
async function shownEnd(execution: CardExecution, paymentId: string): Promise<'succeeded' | 'failed' | undefined> {
  const { lookAgainMs, lookAgainMaxMs } = execution.terms;
  const known = endOfStatus(execution.looks.get(paymentId)?.status ?? '');
  if (known !== undefined) return known;
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    if (looks > 0) await sleep(doublingPause(looks - 1, lookAgainMs, lookAgainMaxMs));
    const end = endOfStatus((await readPayment(execution, paymentId))?.status ?? '');
    if (end !== undefined) return end;
  }
  return undefined;
}
