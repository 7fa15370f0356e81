import type { Config } from '../platform/config.ts';
import type { StackOptions } from '../platform/embedded/stack.ts';
import { createLog } from '../platform/log.ts';

/** How an embedded stack starts its sandbox bank and its worker. Loaded only then: a command that joins a stack needs neither. */
export function embeddedParts(config: Config): Pick<StackOptions, 'startSandbox' | 'startWorker' | 'log'> {
  const log = createLog(config.logLevel ?? 'warn');
  return {
    log,
    startSandbox: async (options) => {
      const { startSandbox } = await import('../sandbox/start-sandbox.ts');
      return startSandbox({ ...options, apiKey: config.bank.key.reveal(), apiSecret: config.bank.secret.reveal() });
    },
    startWorker: async (addresses) => {
      const [{ installRuntime }, { startWorker }] = await Promise.all([
        import('../platform/temporal/worker-runtime.ts'),
        import('../worker.ts'),
      ]);
      installRuntime(log, config.metrics.temporal);
      return startWorker(config, addresses, log);
    },
  };
}
