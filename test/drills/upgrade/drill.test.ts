import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runDrill } from './drill.ts';

/** Eight commands and two builds, each process with modules of its own. */
const HANGS_MS = 1_200_000;

it('two builds that do not replay each other, forward and back: no payout is changed, strays or is lost', {
  timeout: HANGS_MS,
}, async () => {
  const result = await runDrill({ payouts: 6, say: () => undefined });
  expect(result).toMatchObject({
    ...{ payouts: 12, open: 6, nondeterminism: 0, strayed: 0, rowsChanged: 0, notCompleted: 0, ordersWrong: 0 },
    // They are truly different.
    gate: { pulled: 5, replayedBefore: 5, replayedAfter: 0 },
  });
  rmSync(result.dir, { recursive: true });
});
