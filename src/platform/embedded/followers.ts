import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processMark } from './home.ts';

interface Follower {
  leave(): void;
}

const folder = (home: string): string => join(home, 'followers');

/** Registers this process as a user of the home's stack; the stack's owner waits for it. */
export function follow(home: string): Follower {
  mkdirSync(folder(home), { recursive: true, mode: 0o700 });
  const name = `${process.pid}.${randomUUID()}`;
  const file = join(folder(home), name);
  // Written elsewhere and renamed: from a half-written file, the owner would conclude that the process is gone.
  writeFileSync(join(home, name), processMark(process.pid) ?? '', { mode: 0o600 });
  renameSync(join(home, name), file);
  return { leave: () => rmSync(file, { force: true }) };
}

/** Number of registered processes that still run; removes the files of the others. */
export function liveFollowers(home: string): number {
  return followerFiles(home).filter((name) => {
    const file = join(folder(home), name);
    const isLive = processMark(Number.parseInt(name, 10)) === contentsOf(file);
    if (!isLive) rmSync(file, { force: true });
    return isLive;
  }).length;
}

function followerFiles(home: string): string[] {
  try {
    return readdirSync(folder(home));
  } catch {
    return [];
  }
}

/** null if the process has just left: no mark equals it. */
function contentsOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
