import { condition, patched } from '@temporalio/workflow';
import type { CardEnd, CardHandle } from '../../domain/card-payment.ts';
import { type CardTerms, SESSION_MAX_MS } from '../../domain/card-terms.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { doublingPause } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { vaultOf } from '../proxies.ts';
import { callVault } from './call-vault.ts';
import type { CardExecution } from './execution.ts';

/** `why`: what the acquirer refused a request with, where it did. */
export type CardEnded = { end: CardEnd; reason: Reason | null; why?: string };

/** A card, and the 3-D Secure session made for it and this amount; both serve one create. */
export interface Session {
  card: CardHandle;
  amount: string;
  /** Null without a set-up. */
  referenceId: string | null;
}

/**
 * Leads a payment to the point where its create can be sent: a card, a set-up, the time for the device fingerprint
 * (interface section 4, card flow 1 and 2). Nothing here can take money. A set-up is bound to the amount and to one session,
 * so that a change of either makes another one.
 */
export async function obtainSession(
  execution: CardExecution,
  terms: CardTerms,
  threeDs: 'setup' | 'skip',
): Promise<Session | CardEnded> {
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
      return { end: 'failed', reason: because('refused-by-acquirer', setUp.why), why: setUp.why };
    }
    const { referenceId } = setUp;
    if (await collectFingerprint(execution, terms, amount, setUp.dataCollectionInfo))
      return { card, amount, referenceId };
  }
}

/** The card that was given, or the next one; undefined when none came in time or the payment is cancelled. */
async function cardInHand(execution: CardExecution, deadline: number): Promise<CardHandle | undefined> {
  if (execution.card !== undefined && seemsGone(execution.card)) loseCard(execution);
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

/**
 * Runs that began earlier believe the clock of the gateway, which may be wrong: a card that it keeps was lost by it, and a create
 * that never left looked for. Today the vault alone says that a card is gone.
 */
export const seemsGone = ({ expires_at: expiresAt }: CardHandle): boolean =>
  Date.now() >= expiresAt && !patched('the-vault-says-that-a-card-is-gone');

/** The gateway that kept the card is gone, or its time is over. */
export function loseCard(execution: CardExecution): void {
  execution.card = undefined;
  execution.show(execution.state, because('card-lost'));
}

/** True when the session can be used: the amount is still the one it was made for, and it is fresh. */
async function collectFingerprint(
  execution: CardExecution,
  terms: CardTerms,
  amount: string,
  info: unknown,
): Promise<boolean> {
  const readyAt = Date.now();
  const moved = (): boolean => execution.amount !== amount || execution.inbox.cancel !== undefined;
  execution.dataCollectionInfo = info ?? null;
  execution.show('awaiting-fingerprint');
  if (execution.dataCollectionInfo !== null) {
    await condition(() => execution.fingerprintDone || moved(), terms.fingerprintWaitMs);
  }
  execution.dataCollectionInfo = null;
  return !moved() && Date.now() - readyAt <= SESSION_MAX_MS;
}
