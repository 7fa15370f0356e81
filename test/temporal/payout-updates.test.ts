import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { refusalOf } from '../../src/temporal/payout-updates.ts';

it('a payout that ended while it was asked is not said to be started again', () => {
  const { refused } = refusalOf(
    new WorkflowNotFoundError('workflow execution already completed', 'payout/x', undefined),
  );
  expect(refused).toContain('has ended, or is being started again');
});
