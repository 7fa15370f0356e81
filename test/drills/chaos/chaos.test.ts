import { expect, test } from 'vitest';
import { shortChaos } from './options.ts';
import { reportingSeed } from './reporting-seed.ts';
import { hasFailed, runChaos } from './run-chaos.ts';

const DAY_MS = 86_400_000;

test('twelve payouts through faults, kills and pauses: each is paid once, or said to be unpaid', {
  // More than the run's own bounds together: it ends by them and says what was wrong.
  timeout: 900_000,
}, async () => {
  // Another seed every day, printed so that a failure can be repeated.
  const seed = reportingSeed(Math.floor(Date.now() / DAY_MS) * 100);
  console.log(`npm run chaos -- --short --seed ${seed}`);
  const said: string[] = [];
  const result = await runChaos({ ...shortChaos(seed), say: (line) => said.push(line) });
  expect(hasFailed(result), JSON.stringify({ ...result, said }, null, 1)).toBe(false);
  expect(result.posts.faulted).toBeGreaterThan(1);
  expect(result.posts.answerLost).toBeGreaterThan(0);
  expect(result.disturbances).toHaveProperty(['kill sandbox']);
});
