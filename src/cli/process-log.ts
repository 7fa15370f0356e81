import type { Log } from '../domain/log.ts';
import type { Config } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';

/** The log of a long-running process, at `level` if none is configured. Its first lines name settings that have no effect or open too much. */
export function processLog(
  { logLevel, unknownSettings, tooOpen }: Config,
  level: 'info' | 'warn',
  ...stream: [stream?: Parameters<typeof createLog>[1]]
): Log {
  const log = createLog(logLevel ?? level, ...stream);
  for (const sentence of [...unknownSettings, ...tooOpen]) log.warn(sentence);
  return log;
}
