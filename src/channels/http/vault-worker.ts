import { Worker } from '@temporalio/worker';
import type { VaultDeps } from '../../activities/card-payments.ts';
import { vaultActivities } from '../../activities/vault.ts';
import type { Log } from '../../domain/settings.ts';
import type { Config } from '../../platform/config.ts';
import type { Part } from '../../platform/embedded/stack.ts';
import { OpenedParts } from '../../platform/opened-parts.ts';
import { refusedPayloads } from '../../platform/refused-payloads.ts';
import type { TemporalAddress } from '../../platform/temporal/connection.ts';
import { refuseUndecodable, sealedPayloads } from '../../platform/temporal/connection.ts';
import { connectWorker, installRuntime, runWorker, SHUTDOWN } from '../../platform/temporal/worker.ts';

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
  await using opened = new OpenedParts();
  const connection = opened.adopt(await connectWorker(config, address), (it) => it.close());
  const worker = await Worker.create({
    connection,
    namespace: address.namespace,
    taskQueue: deps.vault.taskQueue,
    activities: { ...vaultActivities(deps) },
    dataConverter: sealedPayloads(config.codecKeys(), refusedPayloads(undefined, log)),
    interceptors: { activity: [() => ({ inbound: refuseUndecodable })] },
    ...SHUTDOWN,
    shutdownForceTime: '10s',
  });
  const failure = Promise.withResolvers<Error>();
  opened.use(runWorker(worker, failure.resolve));
  const kept = opened.move();
  return { failure: failure.promise, close: () => kept[Symbol.asyncDispose]() };
}
