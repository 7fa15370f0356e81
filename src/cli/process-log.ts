import type { Config } from '../config.ts';
import { createLog, type Log } from '../log.ts';

/** The log of a process that stays up, at `level` where none is set; it begins with the settings that have no effect. */
export function processLog(
  { logLevel, unknownSettings }: Config,
  level: 'info' | 'warn',
  ...stream: [stream?: Parameters<typeof createLog>[1]]
): Log {
  const log = createLog(logLevel ?? level, ...stream);
  for (const sentence of unknownSettings) log.warn(sentence);
  return log;
}
