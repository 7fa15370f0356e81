import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCommandHome, QUICK } from '../support/command.ts';
import { signingPerson } from '../support/people.ts';
import { until } from '../support/until.ts';
import { batchOf, errorOf } from './documents.ts';
import { openLaptops } from './laptops.ts';
import { csvOf } from './payout-files.ts';

const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver']);

const { folder, home, keyOf } = openLaptops([alice, bob], {
  settings: { ...QUICK, PAYOUTS_TRANSFER_ACROSS_USERS: 'true' },
  approvals: [{ approvals: 1 }, { currency: 'USD', amountAtLeast: '100', alone: true, approvals: 1 }],
});

it('a batch is approved by one signature, and a row above the limit by one of its own', async () => {
  const file = home.file('plan.csv', csvOf([{ id: 'PLAN-1' }, { id: 'PLAN-2' }, { id: 'PLAN-3', amount: '250.00' }]));
  const run = ['run', file, '--yes', '--json', '--key', keyOf(alice)];
  const { batchId } = batchOf(await home.payouts(...run, '--detach'));
  const refused = await home.payouts('approve', batchId, '--yes', '--json', '--key', keyOf(alice));
  expect(errorOf(refused).error.code).toBe('role-missing');
  const approved = await home.payouts('approve', batchId, '--yes', '--json', '--key', keyOf(bob));
  expect(JSON.parse(approved.stdout)).toMatchObject({
    decisions: [{ reference: batchId, outcome: 'approved by one signature: 2 payouts' }],
    plan: {
      question: 'payout',
      rows: 2,
      totals: [{ currency: 'USD', count: 2 }],
      apart: [{ documentId: 'PLAN-3', amount: '250.00', why: 'alone' }],
    },
  });
  expect(approved.code).toBe(0);
  expect(approved.stderr).toMatch(
    /2 payouts to 1 payee\n[\s\S]*PLAN-3 +250\.00 USD +the policy requires a separate decision/,
  );
  await until(async () => {
    const { payout } = JSON.parse((await home.payouts('status', 'PLAN-3', '--json')).stdout);
    return payout.state === 'awaiting-approval';
  });
  const own = await home.payouts('approve', 'PLAN-3', '--yes', '--json', '--key', keyOf(bob));
  expect(own.code).toBe(0);
  expect(batchOf(await home.payouts('watch', batchId, '--json'))).toMatchObject({ counts: { completed: 3 } });
  const status = JSON.parse((await home.payouts('status', 'PLAN-3', '--json')).stdout);
  expect(status.payout.policyHash).toMatch(/^[0-9a-f]{64}$/);
  const again = await home.payouts('approve', batchId, '--yes', '--json', '--key', keyOf(bob));
  expect(errorOf(again).error.code).toBe('nothing-awaited');
});

it.each([
  ['transfer', ['--from', 'acc-u1001-usd', '--to', 'acc-u1002-usd']],
  ['exchange', ['--sell', 'acc-u1001-eur', '--buy', 'acc-u1001-usd', '--currency', 'USD']],
])('one %s is approved, or rejected, by the key of somebody else', async (kind, accounts) => {
  const move = (id: string, ...more: string[]) =>
    home.payouts(kind, '--id', id, '--uid', 'u-1001', ...accounts, '--amount', '10.00', '--yes', '--json', ...more);
  expect(errorOf(await move(`${kind}-0`)).error.code).toBe('key-missing');
  expect(errorOf(await move(`${kind}-0`, '--key', keyOf(bob))).error.code).toBe('role-missing');
  for (const id of [`${kind}-1`, `${kind}-2`]) await move(id, '--key', keyOf(alice), '--detach');
  const statusOf = async (id: string) => JSON.parse((await home.payouts('status', id, '--json')).stdout).payout;
  for (const id of [`${kind}-1`, `${kind}-2`]) {
    await until(async () => (await statusOf(id)).state === 'awaiting-approval');
  }
  const own = await home.payouts('approve', `${kind}-1`, '--yes', '--json', '--key', keyOf(alice));
  expect(errorOf(own).error.code).toBe('role-missing');
  expect((await home.payouts('approve', `${kind}-1`, '--yes', '--key', keyOf(bob))).code).toBe(0);
  expect((await home.payouts('reject', `${kind}-2`, '--remark', 'no', '--yes', '--key', keyOf(bob))).code).toBe(0);
  await until(async () => (await statusOf(`${kind}-1`)).state === 'completed');
  await until(async () => (await statusOf(`${kind}-2`)).state === 'rejected');
  const done = await statusOf(`${kind}-1`);
  expect(done.policyHash).toMatch(/^[0-9a-f]{64}$/);
  const { stdout } = await home.payouts('policy', 'explain', done.reference, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ state: 'completed', maker: 'alice', mayApprove: ['bob'] });
});

it('a command that has lost the policy pays and decides nothing', async () => {
  const without = openCommandHome({ ...QUICK, PAYOUTS_HOME: home.path });
  const file = without.file('lost.csv', csvOf([{ id: 'LOST-1' }]));
  for (const command of [
    ['run', file, '--yes', '--by', 'alice'],
    ['intake', join(folder, 'drop'), '--once', '--by', 'alice'],
    ['switch', 'off', 'everything', '--reason', 'none', '--yes', '--by', 'alice'],
  ]) {
    const { code, stderr } = await without.payouts(...command);
    expect([code, stderr]).toEqual([2, expect.stringContaining('PAYOUTS_POLICY: is not set')]);
  }
  await without.close();
  expect((await home.payouts('status', 'LOST-1')).code).toBe(2);
});

it('one is begun and checked while the one that is set cannot be used', async () => {
  const policy = join(folder, 'begun.json');
  const before = openCommandHome({ PAYOUTS_POLICY: policy });
  expect(await before.payouts('policy', 'key', join(folder, 'carol.pem'))).toMatchObject({ code: 0 });
  writeFileSync(policy, JSON.stringify({ version: 2, people: [{ name: 'alice' }] }), { mode: 0o600 });
  const checked = await before.payouts('policy', 'check', policy);
  await before.close();
  expect(checked.code).toBe(2);
  expect(checked.stderr).toContain('version');
  expect(checked.stderr).toContain('people.0.roles');
});
