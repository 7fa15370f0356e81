import { activityInfo } from '@temporalio/activity';
import { BankError } from '../api/errors.ts';
import { compareDecimals } from '../domain/money.ts';
import { doublingPause } from '../domain/policy.ts';
import type { ActivityDeps } from './deps.ts';
import { notYet } from './to-failure.ts';

/**
 * Waits that cost no history: an activity that fails benignly is retried by the server, after a pause it names itself.
 */
export const waitActivities = (deps: ActivityDeps) => ({
  /** Returns once the bank answers a cheap read; any answer of the bank counts. */
  async awaitBank({ accountId }: { accountId: string }): Promise<void> {
    try {
      await deps.bank.accounts.get(accountId);
    } catch (error) {
      if (error instanceof BankError && error.code !== undefined) return;
      const { lookAgainMs, lookAgainMaxMs } = deps.settings.waits;
      throw notYet('the bank does not answer', doublingPause(activityInfo().attempt - 1, lookAgainMs, lookAgainMaxMs));
    }
  },

  /** Returns once the balance of an account covers `needs`. */
  async awaitFunds({ accountId, needs }: { accountId: string; needs: string }): Promise<void> {
    const { lookAgainMs, lookAgainMaxMs } = deps.settings.waits;
    const account = await deps.bank.accounts.get(accountId).catch(() => undefined);
    if (account === undefined || compareDecimals(account.balance, needs) === -1) {
      throw notYet(
        'the account is short of money',
        doublingPause(activityInfo().attempt - 1, lookAgainMs, lookAgainMaxMs),
      );
    }
  },
});
