import { type NativeConnection, Worker } from '@temporalio/worker';
import { type CallCancelActivities, payoutCallActivities } from '../../activities/called-payouts.ts';
import { may, personOf } from '../../domain/authority.ts';
import { NEXUS_CANCEL_QUEUE, NEXUS_TASK_QUEUE } from '../../domain/names.ts';
import { problemOf } from '../../files/intake/problem-of.ts';
import type { App } from '../../platform/app.ts';
import { ConfigError } from '../../platform/config/key.ts';
import { OpenedParts } from '../../platform/opened-parts.ts';
import { workflowBundle } from '../../platform/temporal/bundle.ts';
import { runWorker, SHUTDOWN } from '../../platform/temporal/worker-runtime.ts';
import { placeOf } from '../http/operation.ts';
import { CANCEL_PAYOUT } from '../http/operations/decision-operations.ts';
import { isPassing, payoutsHandler } from './pay-operation.ts';

/** Open calls that wait at once: each costs a read of a row every ten seconds. More take turns. */
const CALLS = 5_000;

/**
 * The worker of the task queue of the endpoints: it takes payouts, and waits for their ends; cancels have a queue of their own,
 * behind no call that waits. It has no codec, since other teams have
 * no key of ours: what is in the histories of its workflows is what the callers get.
 */
export async function startNexusWorker(
  app: App,
  connection: NativeConnection,
  failed: (error: Error) => void,
  calls: number = CALLS,
): Promise<AsyncDisposable> {
  assertServes(app);
  const ours = { connection, namespace: app.stack.namespace, ...SHUTDOWN };
  await using opened = new OpenedParts();
  const cancels: CallCancelActivities = { cancelCalledPayout: (reference) => cancel(app, reference) };
  const canceller = await Worker.create({ ...ours, taskQueue: NEXUS_CANCEL_QUEUE, activities: { ...cancels } });
  opened.use(runWorker(canceller, failed));
  const worker = await Worker.create({
    ...ours,
    taskQueue: NEXUS_TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities: payoutCallActivities(app.store),
    nexusServices: [payoutsHandler(app)],
    maxConcurrentActivityTaskExecutions: calls,
  });
  opened.use(runWorker(worker, failed));
  return opened.move();
}

/** Each endpoint is a maker of the policy: nobody calls in person, so nothing else says who may have what paid. */
function assertServes({ config: { nexusMakers, temporal }, settings: { policy } }: App): void {
  if (temporal.kind === 'embedded') {
    // Its port answers to pages of any origin on the routes of Nexus.
    throw refused('is set for an embedded Temporal, which anybody on this machine can call', 'Set TEMPORAL_ADDRESS.');
  }
  if (policy === undefined)
    throw refused('needs a policy, which says what each maker may submit', 'Set PAYOUTS_POLICY.');
  for (const maker of Object.values(nexusMakers)) {
    if (may(personOf(policy, maker), 'make')) continue;
    throw refused(`names ${JSON.stringify(maker)}, who is no maker of the policy`, 'Name a maker of PAYOUTS_POLICY.');
  }
}

const refused = (what: string, hint: string): ConfigError => new ConfigError('PAYOUTS_NEXUS_MAKERS', what, hint);

/**
 * Audited, in the name of the maker: whoever may call for a payout may cancel it. Only of makers that are endpoints, since whoever
 * writes to the namespace can ask for any. What comes of it, the end shows.
 */
async function cancel(app: App, reference: string): Promise<void> {
  const { by = null } = (await app.store.payout(reference)) ?? {};
  if (by === null || !Object.values(app.config.nexusMakers).includes(by)) return;
  const { policy } = app.settings;
  const place = placeOf(app, { name: by, person: policy && personOf(policy, by) });
  try {
    const answer = await CANCEL_PAYOUT.run(place, {
      reference,
      reason: 'cancelled by the workflow that called for it',
    });
    const isToStart = async () => (await app.store.payout(reference))?.state === 'received';
    if ('refused' in answer && (await isToStart())) throw new Error('its batch has not started it yet');
  } catch (error) {
    if (isPassing(problemOf(error).kind)) throw error;
  }
}
