import { CompleteAsyncError } from '@temporalio/activity';
import { conditionOf } from '../bank/errors.ts';
import { compareDecimals, sumDecimals } from '../domain/money.ts';
import type { PaidOrder } from '../domain/order-judgement.ts';
import type { ActivityDeps, Run } from './deps.ts';
import { notYet } from './to-failure.ts';

// Waits that add no events to history: an activity that fails benignly is retried by the server, after a pause that it sets
// itself, and one that somebody else completes needs no worker meanwhile.

/** Completed by the watch, once it has stored that the order is paid (`src/activities/watch.ts`). */
export async function awaitOrderEnd(): Promise<PaidOrder> {
  throw new CompleteAsyncError();
}

/** Returns once the bank answers a cheap read, with any answer. */
export async function awaitBank(
  { bank, settings }: ActivityDeps,
  _run: Run,
  { accountId }: { accountId: string },
): Promise<void> {
  try {
    await bank.accounts.get(accountId);
  } catch (error) {
    if (conditionOf(error) === undefined) throw notYet('the bank does not answer', settings.terms.waits);
  }
}

/**
 * Returns once the account's balance covers `needs` and what the rows before this one still wait for: they get incoming money
 * first. `needs`: decimal string, in the account's currency. `reference`: the waiting payout.
 */
export async function awaitFunds(
  { bank, store, settings }: ActivityDeps,
  _run: Run,
  { accountId, needs, reference }: { accountId: string; needs: string; reference: string },
): Promise<void> {
  const ahead = await store.fundsNeededAhead(reference);
  const account = await bank.accounts.get(accountId).catch(() => undefined);
  // What a cache answers may never change: the gates decide how to go on without it.
  if (account?.isStale === true) return;
  if (account === undefined || compareDecimals(account.balance, sumDecimals([needs, ...ahead])) === -1) {
    throw notYet('the account is short of money', settings.terms.waits);
  }
}
