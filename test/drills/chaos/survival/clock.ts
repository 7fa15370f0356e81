import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clusterGround } from '../cluster-ground.ts';
import { type Drill, untilOrders } from './drill.ts';

const APART_MS = 8_000;
const HOUR_MS = 3_600_000;
const LIBRARIES = '/usr/lib';

/** libfaketime of Debian, for processes with threads. Throws where it is not installed. */
function faketime(): string {
  const found = readdirSync(LIBRARIES)
    .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error('libfaketime was not found; install it: apt-get install libfaketime');
  return found;
}

let clocks: { of(name: string): string; library: string } | undefined;

/** One file a process says how far its clock is off, read at every read of the time. Clocks that only count go on as they are. */
function fakeClocks(): NonNullable<typeof clocks> {
  if (clocks !== undefined) return clocks;
  const folder = mkdtempSync(join(tmpdir(), 'payouts-clocks-'));
  clocks = { of: (name) => join(folder, name), library: faketime() };
  for (const name of CLOCKS) set(name, 0);
  return clocks;
}

const CLOCKS = ['worker-1', 'worker-2'] as const;

function set(name: string, hours: number): void {
  writeFileSync(fakeClocks().of(name), `${hours < 0 ? '-' : '+'}${(Math.abs(hours) * HOUR_MS) / 1_000}\n`, {
    mode: 0o644,
  });
}

function envOf(name: string): Record<string, string> {
  if (!(CLOCKS as readonly string[]).includes(name)) return {};
  const { of, library } = fakeClocks();
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: of(name),
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DONT_RESET: '1',
  };
}

export const clockJumps: Drill = {
  name: 'clock jumps',
  what: 'the clocks of the two workers jump by an hour, one ahead while the other is behind, and back',
  needs() {
    fakeClocks();
    return { envOf, clocksOffByMs: HOUR_MS, lay: (dir) => clusterGround(dir) };
  },
  async run(stack) {
    await untilOrders(stack, 2);
    for (const [first, second] of [
      [1, -1],
      [-1, 1],
      [0, 0],
    ] as const) {
      set('worker-1', first);
      set('worker-2', second);
      await pause(APART_MS);
    }
    return { did: ['clock +1 h', 'clock -1 h', 'clock -1 h', 'clock +1 h'] };
  },
};
