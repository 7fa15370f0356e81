import { ApplicationFailureCategory } from '@temporalio/common';
import { expect, it } from 'vitest';
import { toFailures } from '../../src/activities/to-failure.ts';
import { StoreMismatch, Superseded } from '../../src/domain/claim.ts';
import { FAILURES, Misuse } from '../../src/domain/failures.ts';
import { StoreUnreachableError } from '../../src/store/store-errors.ts';

const thrown = (error: Error): Promise<unknown> => {
  const { read } = toFailures({ read: () => Promise.reject(error) });
  return read().catch((failure: unknown) => failure);
};

it('a claim that another run has taken is no error of a worker: it is not retried, and logged as benign', async () => {
  expect(await thrown(new Superseded())).toMatchObject({
    type: FAILURES.superseded,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  });
});

it('what no retry mends fails with its own words, and what another worker may do is tried again soon', async () => {
  expect(await thrown(new Misuse(FAILURES.idReused, 'used before'))).toMatchObject({
    type: FAILURES.idReused,
    message: 'used before',
    nonRetryable: true,
  });
  expect(await thrown(new StoreMismatch('another store'))).toMatchObject({
    nonRetryable: false,
    nextRetryDelay: 2_000,
  });
});

it('those that fail together because the store does not answer do not come back together', async () => {
  const error = new StoreUnreachableError('unreachable', 'store-unreachable', 'out of connections', { hint: '' });
  const failures = (await Promise.all(Array.from({ length: 20 }, () => thrown(error)))) as { nextRetryDelay: number }[];
  expect(failures[0]).toMatchObject({ type: 'StoreUnreachableError', nonRetryable: false });
  const pauses = failures.map(({ nextRetryDelay }) => nextRetryDelay);
  expect(new Set(pauses).size).toBeGreaterThan(10);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
});
