import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { TEST_CLUSTER } from '../support/test-cluster.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { batchOf } from './documents.ts';
import { csvOf, IN_AUDIT } from './payout-files.ts';

const STACK = fileURLToPath(new URL('./impatient-stack.ts', import.meta.url));

/** Starts the stack of a home, of which commands become followers; `close` ends it and gives its log. */
async function startStack(home: CommandHome): Promise<{ close(): Promise<string> }> {
  const child = fork(STACK, {
    env: {
      ...COMPILE_CACHE,
      ...QUICK,
      PATH: process.env.PATH,
      TEMPORAL_CLI_PATH: inject('temporalCli'),
      PAYOUTS_HOME: home.path,
      PAYOUTS_WINDOW: '4',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const log = text(child.stderr as Readable);
  const ended = once(child, 'exit');
  await Promise.race([once(child, 'message'), ended]);
  return {
    async close() {
      child.send('close');
      await ended;
      return log;
    },
  };
}

it.skipIf(TEST_CLUSTER !== undefined)(
  'payouts that are open while their server is stuck are each paid once by the one that replaces it',
  async ({ onTestFinished }) => {
    const home = openCommandHome(QUICK);
    onTestFinished(() => home.close());
    const stack = await startStack(home);
    const ids = Array.from({ length: 11 }, (_, index) => `STUCK-${index + 1}`);
    const file = home.file('stuck.csv', csvOf([{ id: 'WAITS', ...IN_AUDIT }, ...ids.map((id) => ({ id }))]));
    const running = home.serve('run', file, '--yes', '--json');
    await until(async () => paymentsIn(home.path).length > 2);
    const { temporalPid = 0, uiUrl = '', ...at } = home.stack() ?? {};
    process.kill(temporalPid, 'SIGSTOP');

    await until(async () => ![undefined, temporalPid].includes(home.stack()?.temporalPid));
    const { temporalPid: fresh, ...now } = home.stack() ?? {};
    expect(now).toEqual({ ...at, uiUrl });
    expect(JSON.parse(readFileSync(join(home.path, 'temporal.pid'), 'utf8'))).toMatchObject({ pid: fresh });
    expect((await fetch(uiUrl)).status).toBe(200);
    await until(async () => (await home.payouts('approve', 'WAITS', '--yes', '--by', 'alice')).code === 0);

    const followed = batchOf(await running.ended);
    const batch = batchOf(await home.payouts('watch', followed.batchId, '--json'));
    expect(batch).toMatchObject({ state: 'completed', counts: { total: 12, completed: 12 } });
    const payments = paymentsIn(home.path);
    expect(payments.map(({ reference }) => reference).sort()).toEqual(
      batch.payouts.map(({ reference }) => reference).sort(),
    );

    const { checks } = JSON.parse((await home.payouts('doctor', '--json')).stdout);
    expect(checks).toContainEqual({
      name: 'Temporal server',
      verdict: 'warning',
      detail: expect.stringMatching(
        /^replaced \d+ times? in the last 24 hours, last at .* UTC: 10 calls in a row failed/,
      ),
    });
    expect(await stack.close()).toMatch(
      /"why":"10 calls in a row failed: .*the embedded Temporal server is ended and started again/,
    );
  },
);
