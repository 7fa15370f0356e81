import { Worker } from '@temporalio/worker';
import { vaultActivities } from '../activities/vault.ts';
import type { Config } from '../config.ts';
import type { Part } from '../embedded/stack.ts';
import type { Log } from '../log.ts';
import type { VaultDeps } from '../services/cards/use-card.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { refuseUndecodable, sealedPayloads } from '../temporal/sealed-payloads.ts';
import { connectWorker } from '../temporal/worker-connection.ts';
import { refusedPayloads } from './refused-payloads.ts';

/**
 * Starts the worker of a vault: activities only, on its own task queue, in the process that keeps the cards. `close` ends it,
 * after giving a POST under way some time for its answer.
 */
export async function startVaultWorker(
  config: Config,
  address: TemporalAddress,
  deps: VaultDeps,
  log: Log,
): Promise<Required<Part>> {
  installRuntime(log, config.metrics.temporal);
  const connection = await connectWorker(config, address);
  const worker = await Worker.create({
    connection,
    namespace: address.namespace,
    taskQueue: deps.vault.taskQueue,
    activities: { ...vaultActivities(deps) },
    dataConverter: sealedPayloads(config.codecKeys(), refusedPayloads(undefined, log)),
    interceptors: { activity: [() => ({ inbound: refuseUndecodable })] },
    shutdownGraceTime: '200ms',
    shutdownForceTime: '10s',
  }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const failure = Promise.withResolvers<Error>();
  const running = worker.run().catch((error: unknown) => {
    failure.resolve(error instanceof Error ? error : new Error(String(error)));
  });
  return {
    failure: failure.promise,
    async close() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
