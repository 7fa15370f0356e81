import { expect, it } from 'vitest';
import { whyNewOnesWait } from '../../../src/platform/temporal/current-build.ts';

const ofBuild = (buildId: string, workerVersioningMode = 2) => ({
  deploymentOptions: { deploymentName: 'payouts', buildId, workerVersioningMode },
});
const WITHOUT_DEPLOYMENT = ofBuild('one', 1);

it.each([
  ['nobody', [], 'two', undefined],
  ['workers without a deployment', [WITHOUT_DEPLOYMENT], undefined, undefined],
  ['the current build and an earlier one', [ofBuild('one'), ofBuild('two')], 'two', undefined],
  ['a build that was never made current', [ofBuild('one')], undefined, /^new payouts wait: no build is current/],
  ['only an earlier build', [ofBuild('one')], 'two', /^new payouts are for the build payouts:two, and no worker/],
  ['only workers without a deployment, while a build is current', [WITHOUT_DEPLOYMENT], 'two', /no worker of it polls/],
])('new payouts wait or not if those who poll are %s', (_case, pollers, buildId, why) => {
  const currentDeploymentVersion = buildId === undefined ? null : { deploymentName: 'payouts', buildId };
  const answer = whyNewOnesWait({ pollers, versioningInfo: { currentDeploymentVersion } });
  if (why === undefined) expect(answer).toBeUndefined();
  else expect(answer).toMatch(why);
});
