import { appendFileSync, globSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/**
 * `CPU_TIMES=FILE vitest run ...` adds a line for each test file: CPU milliseconds of its own, of the processes that it started,
 * with what they started and have collected (Linux), and its name. Other processes of a machine take time from the clock, but add
 * nothing to these.
 */
const own = process.cpuUsage();
const ofChildren = childrenMs();

afterAll(() => {
  const { user, system } = process.cpuUsage(own);
  const times = [(user + system) / 1_000, childrenMs() - ofChildren].map(Math.round);
  appendFileSync(process.env.CPU_TIMES ?? '', `${times.join(' ')} ${expect.getState().testPath}\n`);
});

function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const [, , ...ended] = timesOf('self');
  return [ended, ...living('self').map(timesOf)].flat().reduce((sum, time) => sum + time, 0) * 10;
}

/**
 * /proc/PID/stat: "pid (name) state ..." with the times of a process and of its ended children as fields 14 to 17, in hundredths
 * of a second.
 */
function timesOf(pid: string): number[] {
  const [, fields = ''] = contentsOf(`/proc/${pid}/stat`).split(/^.*\) /s);
  return fields.split(' ').slice(11, 15).map(Number);
}

/** Those of its processes that still run, and theirs. */
function living(pid: string): string[] {
  const children = globSync(`/proc/${pid}/task/*/children`).flatMap((file) => contentsOf(file).match(/\d+/g) ?? []);
  return children.flatMap((child) => [child, ...living(child)]);
}

/** Empty for a process that has ended meanwhile. */
function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
