import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { StackOptions } from '../stack/stack.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { startWorker } from './worker.ts';

/** How an embedded stack makes its sandbox bank and its worker. */
export function embeddedParts(config: Config): Pick<StackOptions, 'startSandbox' | 'startWorker'> {
  return {
    startSandbox: (options) =>
      startSandbox({ ...options, apiKey: config.bank.key.reveal(), apiSecret: config.bank.secret.reveal() }),
    startWorker: (place) => {
      const log = createLog(config.logLevel ?? 'warn');
      installRuntime(log);
      return startWorker(config, place, log);
    },
  };
}
