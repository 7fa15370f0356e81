import { condition } from '@temporalio/workflow';
import type { CardEnd, CardHandle } from '../../domain/card-payment.ts';
import { SESSION_MAX_MS } from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { vaultOf } from '../proxies.ts';
import { callVault } from './call-vault.ts';
import type { CardExecution } from './execution.ts';

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
        doublingPause(failures, terms.lookAgainMs, terms.lookAgainMaxMs),
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
export function loseCard(execution: CardExecution): void {
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
