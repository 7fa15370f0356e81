import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A marker beside a file says that it is complete, so it need not be looked at twice. */
const MARKER = '.done';
/** Hidden files, and files still being written by file managers and transfer programs. */
const NOT_YET = /^\.|\.(?:part|tmp)$/i;

/** Changes while a file is being written. */
interface Look {
  size: number;
  mtimeMs: number;
}

/** Looks at the files of a folder repeatedly; one is complete if it has not changed between two looks, or has a marker. */
export class Incoming {
  private readonly folder: string;
  private seen = new Map<string, Look>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Names of the complete files, sorted. */
  async whole(): Promise<string[]> {
    const names = new Set(await readdir(this.folder));
    const seen = new Map<string, Look>();
    const whole: string[] = [];
    for (const name of [...names].sort()) {
      if (NOT_YET.test(name) || name.endsWith(MARKER)) continue;
      const look = await this.look(name);
      if (look === undefined) continue;
      seen.set(name, look);
      const before = this.seen.get(name);
      const stands = before?.size === look.size && before.mtimeMs === look.mtimeMs;
      const isMarked = names.has(name + MARKER) && (await this.look(name + MARKER)) !== undefined;
      if (stands || isMarked) whole.push(name);
    }
    this.seen = seen;
    return whole;
  }

  /** Forgets a taken file and removes its marker: the next file of this name is another one. */
  async taken(name: string): Promise<void> {
    this.seen.delete(name);
    if ((await this.look(name + MARKER)) !== undefined) await rm(join(this.folder, name + MARKER), { force: true });
  }

  /** Undefined if it is not a regular file or is gone. A symbolic link does not count: it may point anywhere. */
  private async look(name: string): Promise<Look | undefined> {
    const stats = await lstat(join(this.folder, name)).catch(() => undefined);
    return stats?.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }
}
