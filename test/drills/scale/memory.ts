import { readFileSync } from 'node:fs';

export interface Memory {
  /** Resident now, and the most since the process began; bytes. */
  now: number;
  peak: number;
}

/** Of a process of this machine, by proc(5); undefined on another system than Linux, and when it has ended. */
export function memoryOf(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (name: string): number =>
      1_024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
    const [now, peak] = [bytes('VmRSS'), bytes('VmHWM')];
    return Number.isNaN(now + peak) ? undefined : { now, peak };
  } catch {
    return undefined;
  }
}
