import { Readable } from 'node:stream';
import { ApplicationFailure } from '@temporalio/common';
import { operationInfo, startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { HandlerError, OperationError, serviceHandler } from 'nexus-rpc';
import { type CallCancelActivities, payoutCallActivities } from '../../activities/called-payouts.ts';
import { may, personOf } from '../../domain/authority.ts';
import { NEXUS_CANCEL_QUEUE, NEXUS_TASK_QUEUE, payoutCallId, WORKFLOW_TYPES } from '../../domain/names.ts';
import type { PayoutCallResult } from '../../domain/payout-call.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import { problemOf } from '../../files/intake/problem-of.ts';
import { takeFile } from '../../files/intake/take-file.ts';
import type { App } from '../../platform/app.ts';
import { ConfigError } from '../../platform/config/key.ts';
import { OpenedParts } from '../../platform/opened-parts.ts';
import { workflowBundle } from '../../platform/temporal/bundle.ts';
import { runWorker, SHUTDOWN } from '../../platform/temporal/worker-runtime.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { receive } from '../http/bodies.ts';
import type { Caller } from '../http/callers.ts';
import { uploadsOf } from '../http/gateway-app.ts';
import { takeInTurn } from '../http/intake-turns.ts';
import { placeOf } from '../http/operation.ts';
import { CANCEL_PAYOUT } from '../http/operations/decision-operations.ts';
import { type PayInput, payoutsService } from './payouts-service.ts';

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

/** The handler of the service. A payout is taken as by POST /v1/payouts, in the name of the maker whom the endpoint is. */
const payoutsHandler = (app: App) =>
  serviceHandler(payoutsService, {
    pay: new WorkflowRunOperationHandler<PayInput, PayoutCallResult>(async (context, input) => {
      const caller = callerOf(app, operationInfo().endpoint);
      const { reference } = await taken(app, caller, input).catch((error: unknown) => refuse(app, error));
      // Whoever calls for the same payout again waits for the same end.
      return startWorkflow<(call: { reference: string }) => Promise<PayoutCallResult>>(
        context,
        WORKFLOW_TYPES.payoutCall,
        { workflowId: payoutCallId(reference), args: [{ reference }], workflowIdConflictPolicy: 'USE_EXISTING' },
      );
    }),
  });

/**
 * The maker whom an endpoint is. The server names it for calls through an endpoint; a call that was put into the task queue in another
 * way has none, and is refused.
 */
function callerOf({ config, settings: { policy } }: App, endpoint: string): Caller {
  const maker = Object.hasOwn(config.nexusMakers, endpoint) ? config.nexusMakers[endpoint] : undefined;
  if (maker === undefined) throw withoutStack(new HandlerError('UNAUTHORIZED', 'this endpoint is nobody here'));
  return { name: maker, person: policy && personOf(policy, maker) };
}

/** The payout of an input: claimed and started, or as it was claimed before by the same maker. Throws a `Problem` for a refusal. */
async function taken(app: App, caller: Caller, input: PayInput): Promise<PayoutRecord> {
  const { uid, id } = assertTexts(input);
  const body = Readable.from([Buffer.from(JSON.stringify([input]))]);
  await using upload = await receive(body, uploadsOf(app.config), { name: 'payout.json', extension: '' });
  const asked = { invalid: 'stop', by: caller.name, dryRun: false, isAttended: true } as const;
  const taking = await takeInTurn(app, caller, (handedBy) => takeFile(app, upload.path, { ...asked, ...handedBy }));
  if (taking instanceof IntakeRefusal && taking.kind !== 'already-taken') throw taking;
  const [row] = await app.store.searchPayouts({ uid, documentId: id, kinds: ['payout'] }, { limit: 1 });
  if (row !== undefined && row.by === caller.name) return row;
  throw taking instanceof IntakeRefusal
    ? taking
    : new Problem('already-taken', 'already-taken', 'Somebody else has submitted this document.', { hint: OWN_ID });
}

const OWN_ID = 'Use an id of your own.';

/** A number would be read as it was rounded. */
function assertTexts(input: PayInput): PayInput {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (isObject && Object.values(input).every((value) => typeof value === 'string')) return input;
  throw new Problem('invalid-input', 'input-invalid', 'A payout is an object whose members are texts.', {
    hint: 'Write amounts as texts, such as "12.50".',
  });
}

/** The same call may succeed later: the server repeats it. */
const PASSING: ReadonlySet<ProblemKind> = new Set([
  ...(['unreachable', 'bank-authentication', 'too-many', 'interrupted'] as const),
  ...(['internal', 'set-up'] as const),
]);
const isPassing = (kind: ProblemKind): boolean => PASSING.has(kind);

/** Without hints, which name commands and settings of this installation. */
function refuse({ log }: App, error: unknown): never {
  const { kind, code, message, findings } = problemOf(error);
  if (isPassing(kind)) {
    log.warn({ error }, 'a payout called for through Nexus was not taken: the server repeats the call');
    throw withoutStack(new HandlerError('UNAVAILABLE', 'payouts cannot be taken now'));
  }
  const found = findings.slice(0, FINDINGS_MAX).map(({ column, message: what }) => `${column ?? 'payout'}: ${what}`);
  const text = [message, ...found].join(' ');
  const cause = withoutStack(ApplicationFailure.nonRetryable(text, code));
  throw withoutStack(new OperationError('failed', text, { cause }));
}

const FINDINGS_MAX = 20;

/** It would show the caller the paths of this machine. */
function withoutStack<E extends Error>(error: E): E {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
