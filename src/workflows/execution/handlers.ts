import type { UpdateDefinition } from '@temporalio/common';
import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { nameProblem, noteProblem, textProblem } from '../../domain/text.ts';
import type { CancelRequest, ResolveAnswer } from '../messages.ts';
import { type Inbox, type PendingResolve, refused } from './inbox.ts';
import type { ExecutionView } from './view.ts';

interface Asked {
  action: string;
  by: string;
  evidence: string;
}

type AskedOf<Request> = Pick<ExecutionView<string>, 'what' | 'state' | 'hasEnded' | 'note'> & { inbox: Inbox<Request> };

/** The update `resolve`: answered by the step that can check it, or when the execution ends. */
export function handleResolve<Request extends Asked>(
  execution: AskedOf<Request>,
  update: UpdateDefinition<ResolveAnswer, [Request]>,
  { actions, needs, description, refusalOf }: ResolveRule<Request>,
): void {
  setHandler(
    update,
    async (request): Promise<ResolveAnswer> => {
      const refusal = await refusalOf?.(request);
      if (refusal !== undefined) return refused(refusal);
      // The state may have changed while the request was weighed; it is not kept for another question.
      if (execution.state !== 'needs-operator') {
        return refused(`the ${execution.what} is ${execution.state}, not needs-operator`);
      }
      const pending: PendingResolve<Request> = { request };
      execution.inbox.resolves.push(pending);
      execution.note(`${request.action} by ${request.by}`);
      await until(() => pending.answer !== undefined || execution.hasEnded);
      return pending.answer ?? refused(`the ${execution.what} has ended as ${execution.state}`);
    },
    {
      description,
      validator: (request) => {
        const { what, state } = execution;
        if (state !== 'needs-operator') throw new Error(`the ${what} is ${state}, not needs-operator`);
        assertNamed(request);
        assertSound(textProblem('evidence', request.evidence));
        if (!actions.includes(request.action)) throw new Error(`"action" is one of ${actions.join(', ')}`);
        const [action, member] = needs;
        if (request.action === action && !request[member]) throw new Error(`${action} needs "${String(member)}"`);
      },
    },
  );
}

interface ResolveRule<Request> {
  actions: readonly string[];
  /** An action, and the member that it requires. */
  needs: [string, keyof Request];
  description: string;
  /** Why the request does not count, whatever the bank shows. */
  refusalOf?: (request: Request) => Promise<string | undefined>;
}

/**
 * The update `cancel`, and a Temporal cancellation, which is the same request: neither interrupts anything that may have moved
 * money. `isTaken`: the request may still have an effect. `isKnown`: its effect is known, or cannot be waited for.
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
    {
      description,
      validator: (request) => {
        assertNamed(request);
        assertSound(noteProblem('reason', request.reason));
      },
    },
  );
  void CancellationScope.current().cancelRequested.catch(() => {
    inbox.cancel ??= { by: 'temporal', reason: 'workflow cancellation requested' };
  });
}

interface CancelRule<Outcome> {
  isTaken: () => boolean;
  isKnown: () => boolean;
  outcome: () => Outcome;
  /** Called before the answer, to record a refusal. */
  refused?: (request: CancelRequest) => Promise<void>;
  description: string;
}

/** For the validator of an update. */
export const assertNamed = (request: { by: string }): void => assertSound(nameProblem(request?.by));

export function assertSound(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem);
}

/** Keeps waiting after a Temporal cancellation of the workflow, which is only a request here. */
export const until = (done: () => boolean): Promise<void> => CancellationScope.nonCancellable(() => condition(done));
