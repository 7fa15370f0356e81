import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { recentReplacements, recordReplacement } from '../../../src/platform/embedded/keep-server.ts';
import { newFolder } from '../../support/new-folder.ts';

it('replacements are kept for a day, oldest first', () => {
  const home = newFolder();
  expect(recentReplacements(home, DAY_MS)).toEqual([]);
  const [first, second, third] = [1, 2, DAY_MS + 1].map((at) => ({ at, why: `at ${at}` }));
  for (const made of [first, second, third]) if (made !== undefined) recordReplacement(home, made);
  expect(recentReplacements(home, DAY_MS + 1)).toEqual([second, third]);
  expect(recentReplacements(home, 0)).toEqual([second, third]);
});
