import { type NativeConnection, Worker } from '@temporalio/worker';
import { payoutCallActivities } from '../../activities/called-payouts.ts';
import { personOf } from '../../domain/authority.ts';
import { NEXUS_TASK_QUEUE } from '../../domain/names.ts';
import type { App } from '../../platform/app.ts';
import { ConfigError } from '../../platform/config/key.ts';
import { workflowBundle } from '../../platform/temporal/bundle.ts';
import { runWorker, SHUTDOWN } from '../../platform/temporal/worker-runtime.ts';
import { placeOf } from '../http/operation.ts';
import { CANCEL_PAYOUT } from '../http/operations/decision-operations.ts';
import { payoutsHandler } from './pay-operation.ts';

/** Each open call waits in one, which costs a read of a row every ten seconds. */
const CALLS = 5_000;

/**
 * The worker of the task queue of the endpoints: it takes payouts, and waits for their ends. It has no codec, since other teams have
 * no key of ours: what is in the histories of its workflows is what the callers get.
 */
export async function startNexusWorker(
  app: App,
  connection: NativeConnection,
  failed: (error: Error) => void,
): Promise<AsyncDisposable> {
  if (app.config.temporal.kind === 'embedded') throw embeddedServesNobody();
  const worker = await Worker.create({
    connection,
    namespace: app.stack.namespace,
    taskQueue: NEXUS_TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities: payoutCallActivities(app.store, (reference) => cancel(app, reference)),
    nexusServices: [payoutsHandler(app)],
    maxConcurrentActivityTaskExecutions: CALLS,
    ...SHUTDOWN,
  });
  return runWorker(worker, failed);
}

/** Audited, in the name of the maker: whoever may call for a payout may cancel it. What comes of it, the end shows. */
async function cancel(app: App, reference: string): Promise<void> {
  const row = await app.store.payout(reference);
  const name = row?.by ?? undefined;
  const { policy } = app.settings;
  const caller = { name, person: policy && personOf(policy, name ?? null) };
  await CANCEL_PAYOUT.run(placeOf(app, caller), { reference, reason: 'cancelled by the workflow that called for it' });
}

/** Its port answers to pages of any origin on the routes of Nexus. */
const embeddedServesNobody = (): ConfigError =>
  new ConfigError(
    'PAYOUTS_NEXUS_MAKERS',
    'is set for an embedded Temporal, which anybody on this machine can call',
    'Unset it, or set TEMPORAL_ADDRESS.',
  );
