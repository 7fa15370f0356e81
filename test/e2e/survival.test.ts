import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { openStore } from '../../src/store/open.ts';
import { type CommandHome, openCommandHome, QUICK, type Running } from '../support/command.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { batchOf } from './documents.ts';
import { csvOf, IN_AUDIT, type Row } from './payout-files.ts';

function openHome({ onTestFinished }: TestContext, env?: Record<string, string>): CommandHome {
  const home = openCommandHome({ ...QUICK, ...env });
  onTestFinished(() => home.close());
  return home;
}

/** Waits until the bank has orders for `count` payouts; rejects when the process that pays them ends before. */
async function untilPaid(home: CommandHome, running: Running, count: number): Promise<void> {
  const early = running.ended.then(({ code, stdout, stderr }) => {
    throw new Error(`ended ${code} before ${count} payments: ${stderr}${stdout}`);
  });
  await Promise.race([early, until(async () => paymentsIn(home.path).length >= count)]);
}

/** Waits until `status` shows the payout in the audit of the bank. */
const untilInAudit = (home: CommandHome, id: string): Promise<void> =>
  until(async () => {
    const { code, stdout } = await home.payouts('status', id, '--json');
    return code === 0 && JSON.parse(stdout).payout.state === 'awaiting-bank-approval';
  });

/** Hands over a file with one row that stops in the audit of the bank, where its command is ended and its stack with it. */
async function leftInAudit(home: CommandHome, id: string): Promise<{ file: string; batchId: string }> {
  const file = home.file(`${id}.csv`, csvOf([{ id, ...IN_AUDIT }]));
  const running = home.serve('run', file, '--yes', '--json');
  // Read where it is stored, not by a command: in three seconds more the one that runs leaves it to people by itself.
  const reference = referenceOf('u-1001', id);
  await until(async () => paymentsIn(home.path).some((order) => order.reference === reference));
  const store = await openStore(home.storeUrl);
  await until(async () => (await store.payout(reference))?.state === 'awaiting-bank-approval');
  running.kill('SIGINT');
  await store.close();
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Detached') });
  expect(home.stack()).toBeUndefined();
  return { file, batchId: batchOf(ended).batchId };
}

const rows = (count: number, prefix = 'ROW'): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}-${index + 1}` }));

it.concurrent('a `run` that was killed in the middle is finished by the next one: one order a row, one report', async (context) => {
  const home = openHome(context, { PAYOUTS_WINDOW: '8', PAYOUTS_TIME_SCALE: '0.02' });
  const file = home.file('killed.csv', csvOf(rows(24)));
  const killed = home.start('run', file, '--yes', '--json');
  await untilPaid(home, killed, 6);
  killed.kill('SIGKILL');
  expect(await killed.ended).toMatchObject({ code: null, signal: 'SIGKILL', stdout: '' });
  expect(paymentsIn(home.path).length).toBeLessThan(24);

  const second = await home.payouts('run', file, '--yes', '--json');
  expect(second.code).toBe(0);
  const batch = batchOf(second);
  expect(batch).toMatchObject({ state: 'completed', counts: { total: 24, completed: 24 } });
  const payments = paymentsIn(home.path);
  expect(payments.map(({ reference }) => reference).sort()).toEqual(
    batch.payouts.map(({ reference }) => reference).sort(),
  );
  expect(payments.map(({ order_id }) => order_id).sort()).toEqual(batch.payouts.map(({ orderId }) => orderId).sort());

  const third = await home.payouts('run', file, '--yes', '--json');
  expect(third.code).toBe(8);
  expect(batchOf(await home.payouts('report', batch.batchId, '--json'))).toEqual(batch);
});

it.concurrent('payouts whose workflows are lost with the file of Temporal are started again once the new Temporal is accepted', async (context) => {
  const home = openHome(context);
  const { file, batchId } = await leftInAudit(home, 'LOST-1');
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(home.path, `temporal.sqlite${suffix}`), { force: true });

  const refused = await home.payouts('run', file, '--yes', '--json');
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain('payouts doctor --accept temporal');
  expect((await home.payouts('doctor', '--accept', 'temporal', '--by', 'alice')).code).toBe(0);

  const again = home.serve('run', file, '--yes', '--json');
  await again.says(/All rows of this file are already known; following/);
  // Refused while nobody has started it again: the store shows its state before.
  await until(async () => (await home.payouts('approve', 'LOST-1', '--yes', '--by', 'alice')).code === 0);
  // It ends by itself once it sees that only people are awaited, which may be before one of them has spoken.
  await again.ended;
  expect(batchOf(await home.payouts('watch', batchId, '--json')).counts).toMatchObject({ completed: 1 });
  expect(paymentsIn(home.path)).toHaveLength(1);
});

it.concurrent('a row that waits when everything ends is decided and watched on stacks of their own', async (context) => {
  const home = openHome(context);
  const { batchId } = await leftInAudit(home, 'WAIT-1');
  expect(batchOf(await home.payouts('status', batchId, '--json')).state).toBe('open');

  const approved = await home.payouts('approve', batchId, '--yes', '--by', 'alice', '--json');
  expect(approved).toMatchObject({ code: 0 });
  const watched = await home.payouts('watch', batchId, '--json');
  expect(watched.code).toBe(0);
  expect(batchOf(watched)).toMatchObject({ batchId, state: 'completed' });
  expect(paymentsIn(home.path)).toMatchObject([{ status: 'COMPLETED' }]);
});

it.concurrent('Ctrl-C detaches with 130 and the payouts go on under the next `watch`', async (context) => {
  const home = openHome(context);
  const file = home.file('interrupted.csv', csvOf([{ id: 'INT-1', ...IN_AUDIT }, ...rows(3, 'INT-MORE')]));
  const interrupted = home.start('run', file, '--yes', '--json');
  await untilPaid(home, interrupted, 1);
  interrupted.kill('SIGINT');
  const ended = await interrupted.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('Detached');
  const { batchId } = batchOf(ended);
  expect(home.stack()).toBeUndefined();

  const watched = home.serve('watch', batchId, '--json');
  await until(async () => home.stack() !== undefined);
  await untilInAudit(home, 'INT-1');
  expect((await home.payouts('approve', 'INT-1', '--yes', '--json')).code).toBe(0);
  // It ends by itself once it sees that only people are awaited, which may be before one of them has spoken.
  const seen = batchOf(await watched.ended);
  const last = seen.state === 'completed' ? seen : batchOf(await home.payouts('watch', batchId, '--json'));
  expect(last).toMatchObject({ state: 'completed', counts: { completed: 4 } });
  expect(paymentsIn(home.path)).toHaveLength(4);
});

it.concurrent('two homes work side by side and know nothing of each other', async (context) => {
  const homes = [openHome(context), openHome(context)];
  const ended = await Promise.all(
    homes.map((home) => home.payouts('run', home.file('same.csv', csvOf(rows(2))), '--yes', '--json')),
  );
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const [first, second] = ended.map(batchOf);
  expect(first?.batchId).not.toBe(second?.batchId);
  expect(homes.map((home) => paymentsIn(home.path).length)).toEqual([2, 2]);
});

it.concurrent('two runs of one file at the same time pay it once: one takes it, the other follows', async (context) => {
  const home = openHome(context);
  const file = home.file('raced.csv', csvOf(rows(3)));
  const ended = await Promise.all([1, 2].map(() => home.payouts('run', file, '--yes', '--json')));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const [first, second] = ended.map(batchOf);
  expect(second).toEqual(first);
  expect(paymentsIn(home.path)).toHaveLength(3);
});

it.concurrent('`dev` ends 0 on Ctrl-C and takes its stack with it', async (context) => {
  const home = openHome(context);
  const dev = home.start('dev');
  await dev.says(/Up until Ctrl-C/);
  const { pid, temporalPid = 0 } = home.stack() ?? {};
  expect(pid).toBe(dev.pid);
  dev.kill('SIGINT');
  expect((await dev.ended).code).toBe(0);
  expect(home.stack()).toBeUndefined();
  expect(() => process.kill(temporalPid, 0)).toThrow(/ESRCH/);
});
