import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import { Problem } from '../../domain/problem.ts';

/** Writes a JSON file by rename: a reader sees either the old or the new one. */
export function writeJsonFile(path: string, value: unknown): void {
  const fresh = `${path}.${randomUUID()}`;
  writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

/** The parsed file; undefined if it is missing or has another shape. */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Names of everything that the product creates in a home. The home may also be somebody's own folder, whose other files are left
 * alone.
 */
const OURS =
  /^(?:(?:store|temporal|sandbox|stack\.lock)\.sqlite.*|(?:stack|ports|replacements)\.json.*|temporal\.(?:log|pid).*|audit-key\.pem|codec-keys|followers|reports|uploads)$/;

const OWNER_ONLY = 0o700;
/** A folder with the sticky bit, such as /tmp, is shared on purpose. */
const STICKY = 0o1000;

/**
 * Creates the home, and takes all rights of others from the folder and from our files in it: earlier versions left files that
 * others could read, and the Temporal server creates its database by the umask. Works on paths only: opening and closing a
 * database would drop this process's locks on it.
 */
export function makeHomePrivate(home: string): void {
  mkdirSync(home, { recursive: true, mode: OWNER_ONLY });
  const folder = realpathSync(home);
  if ((lstatSync(folder).mode & STICKY) === 0) tighten(folder);
  for (const name of readdirSync(folder)) if (OURS.test(name)) tightenAll(join(folder, name));
}

function tightenAll(path: string): void {
  const found = tighten(path);
  if (found?.isDirectory()) for (const name of readdirSync(path)) tightenAll(join(path, name));
}

/** undefined if it is gone, or neither a file nor a folder: a symbolic link may point anywhere. */
function tighten(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !(found.isFile() || found.isDirectory())) return undefined;
  // Only the owner can change the mode; other users' files are not ours.
  if ((found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & OWNER_ONLY);
  return found;
}

/**
 * Distinguishes a process from a later one with the same id: its start time, as the system shows it. undefined if no such process
 * runs; a zombie does not count as running.
 */
export function processMark(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxMark(pid);
  const [state = '', ...start] = ps(pid, 'stat=,lstart=').split(/\s+/);
  return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
}

/** Distinguishes a folder from its copies: what is recorded of processes in it is copied too. */
export function folderMark(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev}:${ino}`;
}

/** The arguments of a process; empty if unknown. Exact on Linux, elsewhere a single line. */
export function processArguments(pid: number): string[] {
  if (process.platform !== 'linux') return [ps(pid, 'command=')];
  return readProc(pid, 'cmdline')?.split('\0') ?? [];
}

/** /proc/PID/stat: "pid (name) state ...", with the start time as field 22; the name can contain spaces and brackets. */
function linuxMark(pid: number): string | undefined {
  const fields = readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return fields[19];
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(pid: number, columns: string): string {
  try {
    return execFileSync('ps', ['-o', columns, '-p', `${pid}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

/**
 * The lock of a home. Written here because packages such as proper-lockfile renew a file by a timer: a killed process leaves it
 * behind, and one that is suspended for too long loses it to another.
 */

export interface HomeLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** Keeps the databases referenced: garbage collection would close one and so release its lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks the home for this process; undefined if another holds it. The lock is an exclusive SQLite transaction, which the
 * operating system drops with the process, so it is never stale. The home must be on a local disk: over NFS such locks are
 * unreliable.
 */
export function lockHome(home: string): HomeLock | undefined {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'stack.lock.sqlite');
  const isNew = !existsSync(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    if (isNew) chmodSync(file, 0o600);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  held.add(database);
  return {
    release: () => {
      held.delete(database);
      database.close();
    },
  };
}

/**
 * Why there is no stack: `down` none that will do is up and none may be booted, `already-up` one is up although a new one was
 * asked for, `busy` another process is booting or ending one, `copied` the home is a copy of one that is served, `port-taken`,
 * `boot-failed`, `temporal-lost` its server is sick or has ended, and cannot be replaced.
 */
type StackProblem = 'down' | 'already-up' | 'busy' | 'copied' | 'port-taken' | 'boot-failed' | 'temporal-lost';

const UNREACHABLE: ReadonlySet<StackProblem> = new Set(['boot-failed', 'temporal-lost']);

export class StackError extends Problem {
  constructor(problem: StackProblem, message: string, hint: string, cause?: unknown) {
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
    super(UNREACHABLE.has(problem) ? 'unreachable' : 'set-up', `stack-${problem}`, sentence, { hint, cause });
  }
}
