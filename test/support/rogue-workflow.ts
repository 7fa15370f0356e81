import { proxyActivities } from '@temporalio/workflow';

/** A workflow of somebody else that schedules an activity of the product; returns what came of it. */
export async function rogue({ activity, input }: { activity: string; input: unknown }): Promise<string> {
  const activities = proxyActivities<Record<string, (given: unknown) => Promise<unknown>>>({
    taskQueue: 'payouts',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 1 },
  });
  try {
    return JSON.stringify((await activities[activity]?.(input)) ?? null);
  } catch (error) {
    const { cause } = error as { cause?: { type?: string; message?: string } };
    return `failed: ${cause?.type ?? ''} ${cause?.message ?? ''}`;
  }
}
