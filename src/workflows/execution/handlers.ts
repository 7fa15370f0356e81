import type { UpdateDefinition } from '@temporalio/common';
import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { CancelRequest, ResolveAnswer } from '../messages.ts';
import type { Inbox, PendingResolve } from './inbox.ts';
import type { ExecutionView } from './view.ts';

interface Asked {
  action: string;
  by: string;
  evidence: string;
}

type AskedOf<Request> = Pick<ExecutionView<string>, 'what' | 'state' | 'hasEnded' | 'note'> & { inbox: Inbox<Request> };

/** The update `resolve`: answered by the step that can check it, or by the end. */
export function handleResolve<Request extends Asked>(
  execution: AskedOf<Request>,
  update: UpdateDefinition<ResolveAnswer, [Request]>,
  { actions, needs, description, refusalOf }: ResolveRule<Request>,
): void {
  setHandler(
    update,
    async (request): Promise<ResolveAnswer> => {
      const refusal = await refusalOf?.(request);
      if (refusal !== undefined) return { accepted: false, message: refusal };
      // What was asked for may have been settled while it was weighed; it is not kept for another question.
      if (execution.state !== 'needs-operator') {
        return { accepted: false, message: `the ${execution.what} is ${execution.state}, not needs-operator` };
      }
      const pending: PendingResolve<Request> = { request };
      execution.inbox.resolves.push(pending);
      execution.note(`${request.action} by ${request.by}`);
      await until(() => pending.answer !== undefined || execution.hasEnded);
      return pending.answer ?? { accepted: false, message: `the ${execution.what} has ended as ${execution.state}` };
    },
    {
      description,
      validator: (request) => {
        const { what, state } = execution;
        if (state !== 'needs-operator') throw new Error(`the ${what} is ${state}, not needs-operator`);
        assertNamed(request);
        if (typeof request.evidence !== 'string' || request.evidence === '') throw new Error('"evidence" is missing');
        if (!actions.includes(request.action)) throw new Error(`"action" is one of ${actions.join(', ')}`);
        const [action, member] = needs;
        if (request.action === action && !request[member]) throw new Error(`${action} needs "${String(member)}"`);
      },
    },
  );
}

interface ResolveRule<Request> {
  actions: readonly string[];
  /** What an action names. */
  needs: [string, keyof Request];
  description: string;
  /** Why it does not count, whatever the bank shows. */
  refusalOf?: (request: Request) => Promise<string | undefined>;
}

/**
 * The update `cancel`, and a Temporal cancellation, which is the same wish: nothing that may have moved money is interrupted by it.
 * `isTaken`: the wish may still count. `isKnown`: what becomes of it is known, or nobody can wait for that.
 */
export function handleCancel<Outcome>(
  execution: AskedOf<unknown>,
  update: UpdateDefinition<{ outcome: Outcome }, [CancelRequest]>,
  { isTaken, isKnown, outcome, refused, description }: CancelRule<Outcome>,
): void {
  const { inbox } = execution;
  setHandler(
    update,
    async (request) => {
      if (isTaken()) {
        inbox.cancel ??= request;
        execution.note(`cancel requested by ${request.by}`);
        await until(() => execution.hasEnded || isKnown());
      }
      await refused?.(request);
      return { outcome: outcome() };
    },
    { description, validator: assertNamed },
  );
  void CancellationScope.current().cancelRequested.catch(() => {
    inbox.cancel ??= { by: 'temporal', reason: 'workflow cancellation requested' };
  });
}

interface CancelRule<Outcome> {
  isTaken: () => boolean;
  isKnown: () => boolean;
  outcome: () => Outcome;
  /** What is done when the outcome refuses it. */
  refused?: (request: CancelRequest) => Promise<void>;
  description: string;
}

function assertNamed(request: { by: string }): void {
  if (typeof request?.by !== 'string' || request.by === '') throw new Error('"by" is missing');
}

/** An update goes on after a Temporal cancellation of the workflow: that is only a wish here. */
const until = (done: () => boolean): Promise<void> => CancellationScope.nonCancellable(() => condition(done));
