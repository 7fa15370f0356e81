import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

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
