import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Usage {
  /** User and system time of a process and of all that it has started. */
  cpuMs: number;
  /** Resident memory of the process by itself. */
  memoryBytes: number;
}

interface ProcessStat {
  parent: number;
  ownMs: number;
  reapedMs: number;
  memoryBytes: number;
}

/** Linux counts CPU time in hundredths of a second, and memory in pages of 4 KiB. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** Undefined where /proc does not show it: on another system, or for a process of somebody else that is gone. */
export function usageOf(pid: number): Usage | undefined {
  const all = processes();
  const root = all.get(pid);
  if (root === undefined) return undefined;
  const children = (of: number): number[] => [...all].filter(([, { parent }]) => parent === of).map(([child]) => child);
  const cpuOf = (of: number): number => {
    const { ownMs = 0, reapedMs = 0 } = all.get(of) ?? {};
    return ownMs + reapedMs + children(of).reduce((sum, child) => sum + cpuOf(child), 0);
  };
  return { cpuMs: cpuOf(pid), memoryBytes: root.memoryBytes };
}

/** Children of this process that have ended, in ms of CPU time. */
export function cpuOfEndedChildren(): number {
  return statOf(process.pid)?.reapedMs ?? 0;
}

/** The process that listens on a TCP port of this machine; undefined where that is not shown. */
export function listenerOf(port: number): number | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listening(table, port)));
  return pids().find((pid) => openFiles(pid).some((file) => sockets.has(file)));
}

/** proc(5): local address and state (0A: LISTEN) are the second and fourth field, the inode is the tenth. */
function listening(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = read(`/proc/net/${table}`).trim().split('\n').slice(1);
  return rows.flatMap((row) => {
    const fields = row.trim().split(/\s+/);
    return fields[1]?.endsWith(wanted) && fields[3] === '0A' ? [`socket:[${fields[9]}]`] : [];
  });
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((file) => readlinkSync(`/proc/${pid}/fd/${file}`));
  } catch {
    return [];
  }
}

const processes = (): Map<number, ProcessStat> =>
  new Map(
    pids().flatMap((pid) => {
      const stat = statOf(pid);
      return stat === undefined ? [] : [[pid, stat]];
    }),
  );

/** proc(5), counted behind the name: parent 2, utime to cstime 12 to 15, resident pages 22. */
function statOf(pid: number): ProcessStat | undefined {
  const text = read(`/proc/${pid}/stat`);
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  if (text === '') return undefined;
  return {
    parent: fields[1] ?? 0,
    ownMs: (utime + stime) * TICK_MS,
    reapedMs: (cutime + cstime) * TICK_MS,
    memoryBytes: (fields[21] ?? 0) * PAGE_BYTES,
  };
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
