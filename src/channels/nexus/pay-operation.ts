import { Readable } from 'node:stream';
import { ApplicationFailure } from '@temporalio/common';
import { operationInfo, startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { HandlerError, OperationError, serviceHandler } from 'nexus-rpc';
import { personOf } from '../../domain/authority.ts';
import { payoutCallId, WORKFLOW_TYPES } from '../../domain/names.ts';
import type { PayoutCallResult } from '../../domain/payout-call.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import { problemOf } from '../../files/intake/problem-of.ts';
import { takeFile } from '../../files/intake/take-file.ts';
import type { App } from '../../platform/app.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { receive } from '../http/bodies.ts';
import type { Caller } from '../http/callers.ts';
import { uploadsOf } from '../http/gateway-app.ts';
import { takeInTurn } from '../http/intake-turns.ts';
import { type PayInput, payoutsService } from './payouts-service.ts';

/** The handler of the service. A payout is taken as by POST /v1/payouts, in the name of the maker whom the endpoint is. */
export const payoutsHandler = (app: App) =>
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
export const isPassing = (kind: ProblemKind): boolean => PASSING.has(kind);

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
