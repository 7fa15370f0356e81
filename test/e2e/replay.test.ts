import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { type CommandHome, type Ended, openCommandHome } from '../support/command.ts';
import { HISTORIES } from '../support/record-history.ts';
import { until } from '../support/until.ts';
import { csvOf, IN_AUDIT } from './payout-files.ts';

function openHome({ onTestFinished }: TestContext): CommandHome {
  const home = openCommandHome();
  onTestFinished(() => home.close());
  return home;
}

async function replayed(
  home: CommandHome,
  folder: string,
  running = home.payouts('replay', folder, '--json'),
): Promise<{ ended: Ended; replay: ReplayDocument }> {
  const ended = await running;
  return { ended, replay: (JSON.parse(ended.stdout) as { replay: ReplayDocument }).replay };
}

interface ReplayDocument {
  histories: number;
  replayed: number;
  failed: { file: string; problem: string; message: string; todo: string }[];
}

it.concurrent('histories replay, and each that does not is reported with what to do', async (context) => {
  const home = openHome(context);
  const folder = join(home.path, '..', 'recorded');
  mkdirSync(folder);
  const name = 'payout-plain.json';
  for (const file of [name, 'orderWatch-many-payouts.json']) copyFileSync(join(HISTORIES, file), join(folder, file));
  // In a process of its own: it has to end by itself, here and with a history that does not replay.
  const alone = () => home.start('replay', folder, '--json').ended;
  const good = await replayed(home, folder, alone());
  expect([good.ended.code, good.replay]).toEqual([
    0,
    expect.objectContaining({ histories: 2, replayed: 2, failed: [] }),
  ]);

  const other = readFileSync(join(HISTORIES, name), 'utf8').replace('"submitPayment"', '"submitExchange"');
  writeFileSync(join(folder, 'other.json'), other);
  writeFileSync(join(folder, 'half.json'), other.slice(0, 1_000));
  writeFileSync(join(folder, 'list.json'), '[]');
  const bad = await replayed(home, folder, alone());
  expect(bad.ended.code).toBe(5);
  expect(bad.replay).toMatchObject({ histories: 5, replayed: 2 });
  expect(bad.replay.failed).toMatchObject([
    { file: 'half.json', problem: 'no-history', message: 'is not JSON' },
    { file: 'list.json', problem: 'no-history', message: 'does not begin with the start of a workflow' },
    { file: 'other.json', problem: 'nondeterminism', todo: expect.stringContaining('patched()') },
  ]);
  const missing = await home.payouts('replay', join(folder, 'nowhere'));
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('does not exist')]);
});

it.concurrent('open workflows of a real server are pulled as they are and replay with the keys of their workers', async (context) => {
  const home = openHome(context);
  const dev = home.serve('dev');
  await dev.says(/Up until Ctrl-C/);
  const file = home.file('open.csv', csvOf([{ id: 'OPEN-1', ...IN_AUDIT }]));
  expect((await home.payouts('run', file, '--yes', '--detach', '--json')).code).toBe(0);
  await until(async () => (await home.payouts('status', 'OPEN-1')).stdout.includes('awaiting-bank-approval'));

  const folder = join(home.path, '..', 'open');
  const pull = (...more: string[]) => home.payouts('histories', 'pull', '--to', folder, '--json', ...more);
  // Visibility follows with a delay.
  await until(async () => JSON.parse((await pull()).stdout).histories.count >= 4);
  const { histories } = JSON.parse((await pull('--query', "WorkflowType = 'payout'", '--limit', '1')).stdout);
  expect(histories).toMatchObject({ folder, count: 1, encrypted: true, complete: false });
  const files = readdirSync(folder);
  const kinds = ['payout', 'payout-batch', 'order-watch', 'reconciliation'];
  expect(new Set(files.map((name) => decodeURIComponent(name).split(/[/.]/)[0]))).toEqual(new Set(kinds));
  const [payout = ''] = files.filter((name) => name.startsWith('payout%2F'));
  const { events } = JSON.parse(readFileSync(join(folder, payout), 'utf8'));
  expect(events[0].workflowExecutionStartedEventAttributes.eagerExecutionAccepted).toBe(true);
  expect(statSync(join(folder, payout)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, payout), 'utf8')).not.toContain(
    Buffer.from('"acc-u1001').toString('base64').slice(0, 10),
  );

  const { ended, replay } = await replayed(home, folder);
  expect([ended.code, replay]).toEqual([0, expect.objectContaining({ histories: files.length, failed: [] })]);
  // Elsewhere, with other keys.
  const stranger = await replayed(openHome(context), folder);
  expect(stranger.ended.code).toBe(5);
  expect(new Set(stranger.replay.failed.map(({ problem }) => problem))).toEqual(new Set(['key-missing']));
});
