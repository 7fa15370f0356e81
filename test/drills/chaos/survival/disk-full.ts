import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statfsSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterGround, clusterGround } from '../cluster-ground.ts';
import { type Drill, untilOrders } from './drill.ts';

const DISK_MB = 400;
const FULL_MS = 30_000;
const MB = 1 << 20;

/**
 * One small disk for Temporal's databases, the store and the home with the reports; the bank has its own. Needs the right to
 * mount.
 */
async function smallDisk(dir: string, home: string): Promise<ClusterGround> {
  const disk = diskOf(dir);
  mkdirSync(disk);
  chmodSync(dir, 0o711);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0711`, 'tmpfs', disk]);
  rmSync(home, { recursive: true });
  mkdirSync(join(disk, 'home'));
  symlinkSync(join(disk, 'home'), home);
  // What a server keeps of its log ahead is less than the disk.
  const ground = await clusterGround(disk, ['max_wal_size=64MB', 'min_wal_size=32MB']);
  return { ...ground, release: () => void execFileSync('umount', ['--lazy', disk]) };
}

const diskOf = (dir: string): string => join(dir, 'disk');

export const diskFull: Drill = {
  name: 'disk full',
  what: "the disk of Temporal's databases, the store and the reports is full to the last byte for 30 s",
  needs: () => ({ lay: smallDisk }),
  async run(stack) {
    const disk = diskOf(stack.dir);
    await untilOrders(stack, 4);
    const ballast = join(disk, 'ballast');
    fill(ballast);
    const until = performance.now() + FULL_MS;
    const did = ['fill disk'];
    while (performance.now() < until) {
      const { code } = await stack.payouts('report', 'latest', '--json').ended;
      did.push(code === 0 ? 'report written to a full disk' : 'report refused');
      fill(ballast);
      await pause(500);
    }
    rmSync(ballast);
    return { did };
  },
};

/** Appends until nothing fits any more: what others give back meanwhile is taken too. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const size of [MB, 4_096, 512, 1]) {
      const block = Buffer.alloc(size);
      try {
        while (writeSync(file, block) > 0) if (statfsSync(path).bavail === 0 && size > 1) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}
