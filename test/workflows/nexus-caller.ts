import { createNexusServiceClient } from '@temporalio/workflow';
import { type PayInput, type PayoutCallResult, payoutsService } from '../../src/channels/nexus/payouts-service.ts';

/** A workflow of another team, which pays by a typed call. */
export async function payThrough(endpoint: string, input: PayInput): Promise<PayoutCallResult> {
  const payouts = createNexusServiceClient({ service: payoutsService, endpoint });
  return payouts.executeOperation('pay', input, {
    scheduleToCloseTimeout: '5m',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}
