import { expect, it } from 'vitest';
import { workerCapacity } from '../../../src/platform/temporal/worker-runtime.ts';

const GIB = 1_073_741_824;

it('keeps as many workflows as a quarter of the heap holds, and as many as are at work with any heap', () => {
  expect(workerCapacity(4 * GIB).maxCachedWorkflows).toBe(512);
  expect(workerCapacity(GIB).maxCachedWorkflows).toBe(128);
  expect(workerCapacity(0).maxCachedWorkflows).toBe(40);
});
