import type { Log } from '../domain/settings.ts';
import { notNeeded, type Process, unneededBy } from './config/holdings.ts';
import type { Config } from './config.ts';

/** Logs the names of secrets that a process of a cluster has and does not need; all of an embedded stack is one process. */
export function warnOfUnneeded(process: Process, { held, temporal }: Config, log: Log): void {
  const unneeded = temporal.kind === 'embedded' ? [] : unneededBy(process, held);
  if (unneeded.length > 0) log.warn(notNeeded(process, unneeded));
}
