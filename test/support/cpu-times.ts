import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/**
 * `CPU_TIMES=FILE vitest run ...` adds a line for each test file: CPU milliseconds of its own, of the processes that it started
 * and that have ended (Linux), and its name. Other processes of a machine take time from the clock, but add nothing to these.
 */
const own = process.cpuUsage();
const ofChildren = childrenMs();

afterAll(() => {
  const { user, system } = process.cpuUsage(own);
  const times = [(user + system) / 1_000, childrenMs() - ofChildren].map(Math.round);
  appendFileSync(process.env.CPU_TIMES ?? '', `${times.join(' ')} ${expect.getState().testPath}\n`);
});

/** /proc/PID/stat: "pid (name) state ..." with the times of ended children as fields 16 and 17, in hundredths of a second. */
function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(/^.*\) /s);
  const [user, system] = fields.split(' ').slice(13, 15).map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}
