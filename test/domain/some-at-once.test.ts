import { expect, test } from 'vitest';
import { someAtOnce } from '../../src/domain/iterate.ts';

test('a slow item delays only those that wait for its place', async () => {
  const slow = Promise.withResolvers<void>();
  const begun: string[] = [];
  const all = someAtOnce(['slow', 'a', 'b', 'c'], 2, async (item) => {
    begun.push(item);
    if (item === 'slow') await slow.promise;
    if (item === 'c') slow.resolve();
  });
  await all;
  expect(begun).toEqual(['slow', 'a', 'b', 'c']);
});

test('after an error nothing is begun any more', async () => {
  const begun: number[] = [];
  const all = someAtOnce([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('failed');
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await expect(all).rejects.toThrow('failed');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun).toEqual([1, 2]);
});
