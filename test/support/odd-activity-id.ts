import { proxyActivities } from '@temporalio/workflow';

/** Half a surrogate pair as the id of an activity: nothing that the SDK can hand to its core, so that it stops its worker. */
export async function oddActivityId(): Promise<void> {
  const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({
    activityId: '\ud83d',
    startToCloseTimeout: '1s',
  });
  await nothing();
}
