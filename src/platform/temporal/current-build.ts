import proto from '@temporalio/proto';

type TaskQueueDescription = proto.temporal.api.workflowservice.v1.IDescribeTaskQueueResponse;

const { WORKER_VERSIONING_MODE_VERSIONED } = proto.temporal.api.enums.v1.WorkerVersioningMode;

/**
 * Why new payouts wait although workers poll: the build that is current in Temporal, or workers without a deployment if none
 * is, are not among them. Undefined if they are, or if nobody polls.
 */
export function whyNewOnesWait({ pollers, versioningInfo }: TaskQueueDescription): string | undefined {
  const current = versioningInfo?.currentDeploymentVersion;
  const currentBuild = current ? `${current.deploymentName}:${current.buildId}` : undefined;
  const polling = (pollers ?? []).map(({ deploymentOptions: options }) =>
    options?.workerVersioningMode === WORKER_VERSIONING_MODE_VERSIONED
      ? `${options.deploymentName}:${options.buildId}`
      : undefined,
  );
  if (polling.length === 0 || polling.includes(currentBuild)) return undefined;
  const which = currentBuild
    ? `are for the build ${currentBuild}, and no worker of it polls`
    : 'wait: no build is current';
  return `new payouts ${which} (temporal worker deployment set-current-version)`;
}
