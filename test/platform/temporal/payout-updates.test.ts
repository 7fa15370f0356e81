import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { MESSAGES } from '../../../src/domain/names.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { refusalOf, updatePayout } from '../../../src/platform/temporal/workflow-executions.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';

const CLOSED = new WorkflowNotFoundError('workflow execution already completed', 'payout/x', undefined);

it('a payout that ended while it was asked is not said to be started again', () => {
  expect(refusalOf(CLOSED).refused).toContain('has ended, or is being started again');
});

describe('the run of a payout was closed before it was asked', () => {
  const asked = (update: Parameters<typeof updatePayout>[2], state: PayoutState) => {
    const client = { workflow: { getHandle: () => ({ executeUpdate: () => Promise.reject(CLOSED) }) } };
    const store = { payout: async () => ({ state }) as PayoutRecord };
    const payout = { workflowId: 'payout/x', reference: 'x', state: 'processing' as const };
    return updatePayout({ client: client as unknown as Client, store }, payout, update, {});
  };

  it.each([
    ['completed', 'too-late'],
    ['failed', 'too-late'],
    ['cancelled', 'cancelled'],
  ] as const)('if it is %s, a cancel is answered %s, as the run would have said', async (state, outcome) => {
    expect(await asked(MESSAGES.cancel, state)).toBe(outcome);
  });

  it('a decision is answered how it has ended', async () => {
    expect(await asked(MESSAGES.decide, 'completed')).toEqual({ refused: 'the payout has ended as completed' });
  });

  it('without an end, both are answered that it is started again', async () => {
    for (const update of [MESSAGES.cancel, MESSAGES.decide]) {
      expect(await asked(update, 'processing')).toEqual({ refused: expect.stringContaining('being started again') });
    }
  });
});
