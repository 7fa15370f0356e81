import { expect, test } from 'vitest';
import { shortChaos } from './options.ts';
import { hasFailed, runChaos } from './run-chaos.ts';

/** One seed, whose first disturbances are of five kinds; `npm run chaos` is for other ones and for more of everything. */
const SEED = 92;

test('twelve payouts through faults, kills and pauses: each is paid once, or said to be unpaid', {
  // More than the run's own bounds together: it ends by them and says what was wrong.
  timeout: 600_000,
}, async () => {
  const said: string[] = [];
  const result = await runChaos({ ...shortChaos(SEED), say: (line) => said.push(line) });
  expect(hasFailed(result), JSON.stringify({ ...result, said }, null, 1)).toBe(false);
  expect(result.posts.faulted).toBeGreaterThan(2);
  expect(result.posts.answerLost).toBeGreaterThan(0);
  expect(result.disturbances).toHaveProperty(['kill sandbox']);
});
