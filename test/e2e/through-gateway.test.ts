import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { QUICK } from '../support/command.ts';
import { signingPerson } from '../support/people.ts';
import { until } from '../support/until.ts';
import { batchOf, errorOf } from './documents.ts';
import { openLaptops } from './laptops.ts';
import { csvOf } from './payout-files.ts';

/**
 * The command on a laptop that has a gateway's address and its owner's key and nothing else, beside the same command where store,
 * bank and Temporal are configured.
 */
const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver']);
const euro = signingPerson('euro', ['approver'], { currencies: ['EUR'] });
const olga = signingPerson('olga', ['operator', 'auditor']);
const mallory = signingPerson('mallory', ['approver']);
const PEOPLE = [alice, bob, euro, olga];

const { folder, home, keyOf, laptop } = openLaptops(PEOPLE, {
  settings: QUICK,
  strangers: [mallory],
  approvals: [
    { currency: 'USD', amountAtLeast: '10', approvals: 1 },
    { currency: 'USD', amountAtLeast: '100', alone: true, approvals: 1 },
  ],
  envOf: (name) => ({ PAYOUTS_HOME: homeOf(name) }),
});
const homeOf = (name: string): string => join(folder, 'homes', name);
let batchId: string;

const stateOf = async (id: string): Promise<string> =>
  JSON.parse((await home.payouts('status', id, '--json')).stdout).payout.state;

beforeAll(async () => {
  const rows = ['1', '2', '3', '4'].map((id) => ({ id: `HTTP-${id}`, amount: id === '3' ? '250.00' : '12.50' }));
  const file = home.file('http.csv', csvOf(rows));
  const key = ['--key', keyOf(alice)];
  ({ batchId } = batchOf(await home.payouts('run', file, '--yes', '--json', '--detach', ...key)));
  for (const { id } of rows) await until(async () => (await stateOf(id)) === 'awaiting-approval');
});

it.each([
  ['status', 'HTTP-1'],
  ['status', 'HTTP-1', '--json'],
  ['status', 'latest'],
  ['status', 'latest', '--json'],
  ['status', 'NO-SUCH'],
  ['status', 'NO-SUCH', '--json'],
  ['status', 'HTTP-'],
  ['approve', 'NO-SUCH', '--yes'],
  ['approve', 'HTTP-1'],
  ['reject', 'HTTP-1', '--yes'],
  ['list', '--json'],
  ['list', '--state', 'awaiting-approval'],
  ['list', '--from', 'today', '--json'],
  ['inbox'],
  ['inbox', '--json'],
  ['inbox', '--mine', '--json'],
  ['inbox', '--mine', '--by', 'nobody'],
  ['incidents'],
  ['switch', 'list'],
])('says the same as in place, with files as links: %s %s %s', async (...args) => {
  const given = args.filter((arg) => arg !== undefined);
  const takesKey = !['status', 'list', 'incidents', 'switch'].includes(given[0] ?? '');
  const asked = takesKey ? [...given, '--key', keyOf(bob)] : given;
  const here = await home.payouts(...asked);
  const there = await laptop(bob, ...asked);
  const stdout = here.stdout.replaceAll(/"[^"]*-report\.(csv|json|html)"/g, `"/v1/batches/${batchId}/reports/$1"`);
  expect({ code: there.code, stdout: there.stdout }).toEqual({ code: here.code, stdout });
  expect(there.stderr).toBe(here.stderr);
});

it('decides one payout, and the rest of a batch by one signature', async () => {
  const one = await laptop(bob, 'approve', 'HTTP-3', '--yes', '--json');
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(one.stdout)).toMatchObject({ decisions: [{ outcome: 'approved' }] });
  const rejected = await laptop(bob, 'reject', 'HTTP-4', '--remark', 'not ours', '--yes');
  expect(rejected.code).toBe(0);
  const planned = await laptop(bob, 'approve', batchId, '--yes', '--json');
  expect(planned.code).toBe(0);
  expect(JSON.parse(planned.stdout)).toMatchObject({
    decisions: [{ reference: batchId, outcome: 'approved by one signature: 2 payouts' }],
    plan: { rows: 2 },
  });
  for (const id of ['HTTP-1', 'HTTP-2', 'HTTP-3']) await until(async () => (await stateOf(id)) === 'completed');
  await until(async () => (await stateOf('HTTP-4')) === 'rejected');
  const { payout } = JSON.parse((await laptop(bob, 'status', 'HTTP-3', '--json')).stdout);
  expect(payout.approvals).toMatchObject([{ by: 'bob' }]);
});

it('flips switches by a signature', async () => {
  const flip = (to: string) => ['switch', to, 'currency', 'JPY', '--reason', 'a holiday', '--yes', '--json'];
  const refused = await laptop(bob, ...flip('off'));
  expect(errorOf(refused).error.code).toBe('role-missing');
  expect(JSON.parse((await laptop(olga, ...flip('off'))).stdout)).toMatchObject({ changed: true, openPayouts: 0 });
  const list = await home.payouts('switch', 'list', '--json');
  expect(JSON.parse(list.stdout).switches).toMatchObject([{ scope: 'currency', key: 'JPY', by: 'olga' }]);
  expect((await laptop(olga, 'switch', 'list', '--json')).stdout).toBe(list.stdout);
  expect((await laptop(olga, ...flip('on'))).code).toBe(0);
  const again = await laptop(olga, ...flip('on'));
  const here = await home.payouts(...flip('on'), '--key', keyOf(olga));
  expect([again.code, again.stdout]).toEqual([here.code, here.stdout]);
});

it('hands a file over: checked, planned, paid, followed, known the next time', async () => {
  const file = home.file('laptop.csv', csvOf([{ id: 'LAP-1' }, { id: 'LAP-2' }]));
  const bad = home.file('bad.csv', csvOf([{ id: 'BAD-1', amount: '-3' }]));
  for (const args of [
    ['validate', file],
    ['validate', file, '--json'],
    ['validate', bad, '--json'],
    ['validate', join(folder, 'none.csv')],
    ['run', file, '--dry-run'],
    ['run', bad, '--dry-run', '--json'],
    ['run', file, '--dry-run', '--plan', 'another'],
    ['run', file],
  ]) {
    const asked = args[0] === 'validate' ? args : [...args, '--key', keyOf(alice)];
    const [here, there] = [await home.payouts(...asked), await laptop(alice, ...asked)];
    expect({ code: there.code, stdout: there.stdout }, args.join(' ')).toEqual({
      code: here.code,
      stdout: here.stdout,
    });
  }
  expect(errorOf(await laptop(bob, 'run', file, '--yes', '--json')).error.code).toBe('role-missing');
  const waiting = await laptop(alice, 'run', file, '--yes', '--json');
  const { batchId: taken, counts } = batchOf(waiting);
  expect([waiting.code, counts]).toEqual([6, expect.objectContaining({ total: 2, open: 2 })]);
  const again = await laptop(alice, 'run', file, '--yes', '--json', '--detach');
  expect([again.code, batchOf(again).batchId]).toEqual([0, taken]);
  expect((await laptop(bob, 'approve', taken, '--yes')).code).toBe(0);
  const followed = await laptop(alice, 'watch', taken, '--json');
  expect([followed.code, batchOf(followed).counts]).toEqual([0, expect.objectContaining({ completed: 2 })]);
  const ended = await laptop(alice, 'run', file, '--yes', '--json');
  expect([ended.code, errorOf(ended).error.batchId]).toEqual([8, taken]);
  const retried = await laptop(alice, 'retry', taken, '--yes', '--json');
  expect([retried.code, errorOf(retried).error.code]).toEqual([3, 'nothing-to-retry']);
});

it('signs the rows of a file, so that what nobody has to approve is paid', async () => {
  const file = home.file('small.csv', csvOf([{ id: 'SMALL-1', amount: '5.00' }]));
  const paid = await laptop(alice, 'run', file, '--yes', '--json');
  expect([paid.code, batchOf(paid).state]).toEqual([0, 'completed']);
});

it('pauses and cancels a batch', async () => {
  const file = home.file('stopped.csv', csvOf([{ id: 'STOP-1' }]));
  const { batchId: id } = batchOf(await laptop(alice, 'run', file, '--yes', '--json', '--detach'));
  expect(JSON.parse((await laptop(alice, 'pause', id, '--json')).stdout)).toMatchObject({ control: 'paused' });
  expect(errorOf(await laptop(bob, 'resume', id, '--json')).error.code).toBe('role-missing');
  expect((await laptop(alice, 'resume', id)).code).toBe(0);
  await until(async () => (await stateOf('STOP-1')) === 'awaiting-approval');
  const cancelled = await laptop(alice, 'cancel', 'STOP-1', '--yes', '--json');
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ decisions: [{ outcome: 'cancelled' }] });
});

it.each([
  ['accounts', 'u-1001'],
  ['accounts', '--json'],
  ['beneficiaries', 'u-1001', '--currency', 'USD'],
  ['explain', 'account_no', '--currency', 'USD'],
  ['explain', 'held'],
  ['explain', 'nothing-like-it'],
  ['template', 'csv', '--currency', 'USD'],
  ['reference', 'u-1001', 'HTTP-1'],
  ['audit', 'show', 'HTTP-3', '--json'],
  ['audit', 'show', 'HTTP-3', '--limit', '1'],
  ['policy', 'explain', 'HTTP-1', '--json'],
  ['policy', 'explain', 'HTTP-1'],
])('shows the same as in place: %s %s %s %s', async (...given) => {
  const args = given.filter((arg) => arg !== undefined);
  const [here, there] = [await home.payouts(...args), await laptop(olga, ...args)];
  expect({ code: there.code, stdout: there.stdout }).toEqual({ code: here.code, stdout: here.stdout });
});

it.each([
  ['report', 'NO-SUCH', '--json'],
  ['report', 'HTTP-1'],
  ['report', 'HTTP-1', '--json'],
  ['report', 'HTTP-1', '--mask'],
  ['report', 'HTTP-1', '--format', 'camt054'],
  ['report', 'HTTP-1', '--format', 'journal', '--json'],
  ['report', 'HTTP-1', '--format', 'pain002'],
])('writes the same files as in place, and shows them: %s %s %s %s %s', async (...given) => {
  const args = given.filter((arg) => arg !== undefined);
  const there = homeOf('olga');
  for (const path of [home.path, there]) rmSync(join(path, 'reports'), { recursive: true, force: true });
  const [inPlace, remote] = [await home.payouts(...args), await laptop(olga, ...args)];
  const withoutHome = (text: string): string => text.replaceAll(home.path, 'HOME').replaceAll(there, 'HOME');
  expect([remote.code, withoutHome(remote.stdout), remote.stderr]).toEqual([
    inPlace.code,
    withoutHome(inPlace.stdout),
    inPlace.stderr,
  ]);
  const filesOf = (path: string): [string, string][] =>
    (existsSync(join(path, 'reports')) ? readdirSync(join(path, 'reports')).sort() : []).map((name) => [
      name,
      withoutHome(readFileSync(join(path, 'reports', name), 'utf8')),
    ]);
  expect(filesOf(there)).toEqual(filesOf(home.path));
  expect(filesOf(there).length > 0).toBe(remote.code === 0);
});

it('lets an operator see what other systems are sent, and nobody else', async () => {
  const args = ['events', '--from', '1', '--limit', '2'];
  const [inPlace, remote] = [await home.payouts(...args), await laptop(olga, ...args)];
  expect([remote.code, remote.stdout]).toEqual([inPlace.code, inPlace.stdout]);
  expect(remote.stdout).toContain('payout.attention');
  expect((await laptop(olga, 'events', 'status')).stdout).toContain('No events are sent');
  expect(errorOf(await laptop(bob, 'events', '--json')).error.code).toBe('role-missing');
});

it('verifies the audit log itself, by what the gateway hands out', async () => {
  const known = JSON.parse((await home.payouts('audit', 'verify', '--json')).stdout).audit;
  const checked = await laptop(olga, 'audit', 'verify', '--key', known.key, '--json');
  expect(checked.code).toBe(0);
  expect(JSON.parse(checked.stdout).audit).toMatchObject({
    ok: true,
    size: known.size,
    root: known.root,
    key: known.key,
  });
  expect(errorOf(await laptop(bob, 'audit', 'verify', '--json')).error.code).toBe('role-missing');
});

it.each([
  [mallory, 4, 'token-refused'],
  [euro, 2, 'unknown-id'],
  [alice, 2, 'role-missing'],
])('lets nobody decide what the policy does not let them', async (person, code, error) => {
  const refused = await laptop(person, 'approve', 'HTTP-1', '--yes', '--json');
  expect(refused.code).toBe(code);
  // What is decided asks nothing more: only whether they may see it differs.
  expect(errorOf(refused).error.code).toBe(person === alice ? 'nothing-awaited' : error);
});

it.each([['worker'], ['backup', 'x'], ['migrate'], ['dev'], ['reconcile']])(
  'says of %s that it does not work through a gateway',
  async (...args) => {
    const { code, stdout } = await laptop(bob, ...args, '--json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('not-through-gateway');
  },
);

it('leaves nothing on the laptop but reports', () => {
  expect(readdirSync(folder).sort()).toEqual(
    [...[...PEOPLE, mallory].map(({ name }) => `${name}.pem`), 'homes', 'policy.json'].sort(),
  );
  expect(readdirSync(join(folder, 'homes'))).toEqual(['olga']);
  expect(readdirSync(homeOf('olga'))).toEqual(['reports']);
});
