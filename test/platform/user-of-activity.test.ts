import type { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { CallBudget } from '../../src/bank/call-budget.ts';
import { countedByUser } from '../../src/platform/user-of-activity.ts';

/** Which budgets are booked by a call inside an activity of this workflow. */
async function budgetsOf(workflowId: string, args: unknown[], users: Record<string, string> = {}): Promise<string[]> {
  const asked: string[] = [];
  const budget = new CallBudget({
    limits: { all: 100, user: 50 },
    now: Date.now,
    sleep: async () => {},
    book: async (key) => {
      asked.push(key);
      return Date.now();
    },
  });
  const factory = countedByUser({
    async userOf(reference) {
      if (reference === 'unreachable') throw new Error('no store');
      return users[reference];
    },
  });
  const { inbound } = factory({ info: { workflowExecution: { workflowId } } } as unknown as Context);
  const next = (): Promise<void> => budget.admit({ goesFirst: false, signal: new AbortController().signal });
  await inbound?.execute?.({ args, headers: {} }, next);
  return asked;
}

it.each<[string, string, unknown[], string[]]>([
  ['a payout that is stored', 'payout/ref-1', [{ claim: {} }], ['user u-1', 'all']],
  ['a payout that is not claimed yet', 'payout/ref-2', [{ input: { uid: 'u-2' } }], ['user u-2', 'all']],
  ['a watch', 'order-watch/u-3/USD', [{ uid: 'u-3', currency: 'USD' }], ['user u-3', 'all']],
  ['a batch', 'payout-batch/b-1', [{ batchId: 'b-1' }], ['all']],
  ['a stranger', 'payout/ref-9', [null], ['all']],
  ['a payout whose store does not answer', 'payout/unreachable', [], ['all']],
])('what %s asks of the bank counts for its user', async (_who, workflowId, args, budgets) => {
  expect(await budgetsOf(workflowId, args, { 'ref-1': 'u-1' })).toEqual(budgets);
});
