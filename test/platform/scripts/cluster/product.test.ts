import { expect, it } from 'vitest';
import { openClusterHome } from '../../../../scripts/cluster/home.ts';
import { clusterEnv, isOfSandbox, productParts } from '../../../../scripts/cluster/product.ts';
import { newFolder } from '../../../support/new-folder.ts';

it.each([
  ['the sandbox', {}, ['sandbox', 'worker-1', 'worker-2', 'gateway']],
  ['another bank', { PAYOUTS_API_URL: 'https://bank.example' }, ['worker-1', 'worker-2', 'gateway']],
  ['another bank, named in a file', { PAYOUTS_API_URL_FILE: '/run/bank' }, ['worker-1', 'worker-2', 'gateway']],
])('of a cluster that pays at %s, only what it needs is started', async (_bank, own, names) => {
  const dir = newFolder();
  const home = await openClusterHome(dir);
  expect(productParts({ home, env: {}, own, say: () => {} }).map(({ name }) => name)).toEqual(names);
  expect(isOfSandbox(home, clusterEnv(home, own))).toBe(names.includes('sandbox'));
});
