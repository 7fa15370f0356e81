import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endLeftovers, rememberLaunches, rememberProcesses } from '../../../../scripts/cluster/leftovers.ts';
import { ClusterError } from '../../../../scripts/cluster/part.ts';
import { type ProcessSpec, ServerProcess } from '../../../../scripts/cluster/server-process.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { until } from '../../../support/until.ts';

let dir: string;
let said: string[];
let started: ServerProcess[];

beforeEach(() => {
  dir = newFolder();
  said = [];
  started = [];
});

afterEach(() => Promise.all(started.map((it) => it.stop())));

const STAYS = 'console.log("up", process.pid); setInterval(() => {}, 1000)';

function part(script: string, more: Partial<ProcessSpec> = {}): ServerProcess {
  const logFile = join(dir, 'part.log');
  const isHealthy = async (): Promise<boolean> => readFileSync(logFile, 'utf8').includes('up');
  const spec = { name: 'part', command: process.execPath, args: ['-e', script], env: {}, logFile, isHealthy, ...more };
  const it = new ServerProcess(spec, (line) => said.push(line));
  started.push(it);
  return it;
}

const isAlive = (pid = 0): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('is started again when it ends by itself, and stays ended when it is asked to end', async () => {
  const it = part(STAYS);
  await it.start();
  const first = it.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await until(async () => it.pid !== undefined && it.pid !== first && (await it.isHealthy()));
  expect(said[0]).toMatch(/^part ended \(SIGKILL\); restarting in 1 s/);
  const second = it.pid;
  await it.stop();
  expect(it.pid).toBeUndefined();
  expect(isAlive(second)).toBe(false);
});

it('says what it printed when it does not come up, and leaves nothing running', async () => {
  const it = part('console.log("no database"); process.exit(3)');
  await expect(it.start()).rejects.toThrow(/^part ended with exit code 3:\nno database$/);
  const mute = part('setInterval(() => {}, 1000)', { isHealthy: async () => false, startLimitMs: 300 });
  await expect(mute.start()).rejects.toThrow(ClusterError);
  expect(mute.pid).toBeUndefined();
});

it('is killed when it does not end in time', async () => {
  const it = part(`process.on('SIGTERM', () => {}); ${STAYS}`, { stopLimitMs: 200 });
  await it.start();
  const { pid } = it;
  await it.stop();
  expect(isAlive(pid)).toBe(false);
});

it('ends what an earlier supervisor had started again', async () => {
  const it = part(STAYS);
  rememberLaunches(dir, [it]);
  await it.start();
  const first = it.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await until(async () => it.pid !== undefined && it.pid !== first);
  const second = it.pid;
  await endLeftovers(dir, (line) => said.push(line));
  expect(said).toContain(`ending process ${second}, left behind by an earlier cluster in this folder`);
  // It has ended; its parent, this process, is notified later.
  await until(async () => !isAlive(second));
});

it('ends what an earlier supervisor left behind, and nothing for a copy of its folder', async () => {
  const left = part(STAYS);
  await left.start();
  const { pid = 0 } = left;
  rememberProcesses(dir, [pid]);
  const copy = join(dir, 'copy');
  mkdirSync(copy);
  copyFileSync(join(dir, 'processes.json'), join(copy, 'processes.json'));
  await endLeftovers(copy, (line) => said.push(line));
  expect(isAlive(pid)).toBe(true);
  const ended = until(async () => said.some((line) => line.startsWith('part ended')));
  await endLeftovers(dir, (line) => said.push(line));
  await ended;
  expect(said[0]).toContain(`ending process ${pid}`);
  expect(isAlive(pid)).toBe(false);
});
