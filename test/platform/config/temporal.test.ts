import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/platform/config.ts';

const CLUSTER = { TEMPORAL_ADDRESS: '127.0.0.1:7233', PAYOUTS_ONE_MACHINE: 'true' };
const NAMED = { PAYOUTS_DEPLOYMENT: 'payouts', PAYOUTS_BUILD_ID: 'r43' };

it('a worker of a cluster may be one build of a deployment', () => {
  expect(loadConfig({ ...CLUSTER, ...NAMED }).deployment).toEqual({ deploymentName: 'payouts', buildId: 'r43' });
  expect(loadConfig(CLUSTER).deployment).toBeUndefined();
});

it.each([
  [{ PAYOUTS_DEPLOYMENT: 'payouts' }, 'PAYOUTS_BUILD_ID'],
  [{ PAYOUTS_BUILD_ID: 'r43' }, 'PAYOUTS_DEPLOYMENT'],
  [{ ...NAMED, PAYOUTS_BUILD_ID: 'r.43' }, 'PAYOUTS_BUILD_ID'],
  [{ ...NAMED, PAYOUTS_DEPLOYMENT: 'a b' }, 'PAYOUTS_DEPLOYMENT'],
])('%j is refused', (env, key) => {
  expect(() => loadConfig({ ...CLUSTER, ...env })).toThrow(expect.objectContaining({ key }));
});

it('the embedded Temporal has one build', () => {
  expect(() => loadConfig(NAMED)).toThrow(expect.objectContaining({ key: 'PAYOUTS_DEPLOYMENT' }));
});
