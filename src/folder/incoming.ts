import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A marker beside a file: it is whole, there is no need to look twice. */
const MARKER = '.done';
/** Files that somebody is still writing, and files of file managers and transfer programs. */
const NOT_YET = /^\.|\.(?:part|tmp)$/i;

/** What tells a file that is still written from one that is whole. */
interface Look {
  size: number;
  mtimeMs: number;
}

/** Looks at the files of a folder again and again; those that stand still between two looks, or have a marker, are whole. */
export class Incoming {
  private readonly folder: string;
  private seen = new Map<string, Look>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Names of the files that are whole, in order. */
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

  /** The file has been taken: its marker is of no use any more, and the next file of its name is another one. */
  async taken(name: string): Promise<void> {
    this.seen.delete(name);
    if ((await this.look(name + MARKER)) !== undefined) await rm(join(this.folder, name + MARKER), { force: true });
  }

  /** Undefined for what is no file, or is gone. A link is no file: it may lead anywhere. */
  private async look(name: string): Promise<Look | undefined> {
    const stats = await lstat(join(this.folder, name)).catch(() => undefined);
    return stats?.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }
}
