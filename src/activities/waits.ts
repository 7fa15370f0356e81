import { CompleteAsyncError } from '@temporalio/activity';
import { conditionOf } from '../bank/errors.ts';
import { compareDecimals, sumDecimals } from '../domain/money.ts';
import type { PaidOrder } from '../domain/order-judgement.ts';
import type { ActivityDeps } from './deps.ts';
import { notYet } from './to-failure.ts';

/**
 * Waits that add no events to history: an activity that fails benignly is retried by the server, after a pause that it sets
 * itself, and one that somebody else completes needs no worker meanwhile.
 */
export const waitActivities = (deps: ActivityDeps) => ({
  /** Completed by the watch, once it has stored that the order is paid (`src/activities/watch.ts`). */
  async awaitOrderEnd(): Promise<PaidOrder> {
    throw new CompleteAsyncError();
  },

  /** Returns once the bank answers a cheap read, with whatever answer. */
  async awaitBank({ accountId }: { accountId: string }): Promise<void> {
    try {
      await deps.bank.accounts.get(accountId);
    } catch (error) {
      if (conditionOf(error) !== undefined) return;
      throw notYet('the bank does not answer', deps.settings.terms.waits);
    }
  },

  /**
   * Returns once the account's balance covers `needs` and what the rows before this one still wait for: they get incoming money
   * first. `needs`: decimal string, in the account's currency. `reference`: the waiting payout.
   */
  async awaitFunds(waiting: { accountId: string; needs: string; reference: string }): Promise<void> {
    const { accountId, needs, reference } = waiting;
    const ahead = await deps.store.fundsNeededAhead(reference);
    const account = await deps.bank.accounts.get(accountId).catch(() => undefined);
    if (account === undefined || compareDecimals(account.balance, sumDecimals([needs, ...ahead])) === -1) {
      throw notYet('the account is short of money', deps.settings.terms.waits);
    }
  },
});
