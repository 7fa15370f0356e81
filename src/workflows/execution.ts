import type { UpdateDefinition } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { isSamePerson } from '../domain/authority.ts';
import type { Reason } from '../domain/payout-state.ts';
import { inMarkdown, nameProblem, noteProblem, textProblem } from '../domain/text.ts';
import type { CancelRequest, Evidence, ResolveAnswer } from './messages.ts';
import { type SearchAttributes, searchAttributes } from './search-attributes.ts';

// What payouts and card payments have in common: what they show of themselves, and what people ask of them.

/** Limits what the query `state` returns: the first entry and the newest ones stay. */
const EVIDENCE_MAX = 50;

/**
 * What an execution shows of itself while it runs, in the UI and in the query `state`. Steps read and change it; only the
 * workflow decides the route.
 */
export abstract class ExecutionView<State extends string> {
  /** What people call it: "payout". */
  abstract readonly what: string;
  abstract readonly inbox: Inbox<{ action: string }>;
  abstract readonly hasEnded: boolean;
  state: State;
  reason: Reason | null = null;
  readonly evidence: Evidence[] = [];
  /** The state shown in lists; undefined: none so far. */
  protected shown: string | undefined;

  protected constructor(state: State) {
    this.state = state;
  }

  note(what: string): void {
    this.evidence.push({ at: new Date().toISOString(), what });
    if (this.evidence.length > EVIDENCE_MAX) this.evidence.splice(1, 1);
  }

  /** Shows a state in the UI without storing it: an activity stores or has stored it. */
  show(state: State, reason: Reason | null = null): void {
    if (this.state === 'needs-operator' && state !== 'needs-operator') {
      // The task that answered a close may be lost with its worker: a later one answers again, when the store has taken the end.
      const isClosed = reason?.code === 'closed-by-operator';
      const isDone = ({ action }: { action: string }): boolean => isClosed && action === 'close-as-not-paid';
      this.inbox.answerAll(isDone, `the ${this.what} is ${state} now`);
    }
    if (state !== this.state) this.note(reason === null ? state : `${state}: ${reason.message}`);
    this.state = state;
    this.reason = reason;
    const { visible, needsAttention } = this.listed();
    if (visible !== this.shown) {
      const others = this.otherAttributes();
      this.shown = visible;
      upsertSearchAttributes(
        searchAttributes({ PayoutState: visible, PayoutNeedsAttention: needsAttention, ...others }),
      );
    }
    this.showDetails();
  }

  protected showDetails(): void {
    const shown = this.details()
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `| ${inMarkdown(name)} | ${inMarkdown(value)} |`);
    setCurrentDetails(shown.toSpliced(1, 0, '|---|---|').join('\n'));
  }

  /** How lists show it now. */
  protected abstract listed(): { visible: string; needsAttention: boolean };
  /** Further search attributes to set with the next state shown in lists. */
  protected abstract otherAttributes(): SearchAttributes;
  /** Names and values, the most distinguishing first; empty ones are omitted. */
  protected abstract details(): [string, string][];
}

/** An operator's request, in the inbox until a step that can check it has answered. */
export interface PendingResolve<Request> {
  request: Request;
  answer?: ResolveAnswer;
}

export const accepted = (message: string): ResolveAnswer => ({ accepted: true, message });
export const refused = (message: string): ResolveAnswer => ({ accepted: false, message });

/** What people request of an execution: to decide what the interface cannot, and to cancel. */
export class Inbox<Request> {
  readonly resolves: PendingResolve<Request>[] = [];
  /** Set by the update `cancel` or by a Temporal cancellation; steps check it wherever stopping is still possible. */
  cancel: CancelRequest | undefined;

  /** The request to check next. */
  get asked(): PendingResolve<Request> | undefined {
    return this.resolves[0];
  }

  /** Answers a request; `answerAll` answers those that no step has answered when the state is left. */
  answer(pending: PendingResolve<Request>, answer: ResolveAnswer): void {
    pending.answer = answer;
    this.resolves.splice(this.resolves.indexOf(pending), 1);
  }

  /** Answers all open requests when their state is over, since no further step could check them: refused, unless `isDone`. */
  answerAll(isDone: (request: Request) => boolean, message: string): void {
    for (let { asked } = this; asked !== undefined; { asked } = this) {
      this.answer(asked, { accepted: isDone(asked.request), message });
    }
  }
}

/**
 * What two people, each with evidence, may state beyond what the bank shows: the first statement is noted, the second settles it.
 */
export class TwoPeople {
  private readonly statements = new Map<string, string>();

  /** Both names if another person stated the same before; undefined: noted only. */
  agree(what: string, by: string): string | undefined {
    const first = this.statements.get(what);
    if (first === undefined) this.statements.set(what, by);
    return first === undefined || isSamePerson(first, by) ? undefined : `${first} and ${by}`;
  }

  /** Whether nothing was stated that a new history would forget. */
  get isUnanswered(): boolean {
    return this.statements.size === 0;
  }
}

/** What is returned to the first of them. */
export const noted = (why: string): string => `${why}: noted, and a second person with evidence may settle it`;

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
      // The state may have changed while the request was verified; it is not kept for another question.
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
  /** Why the request does not count, regardless of what the bank shows. */
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

/** Whether a time has passed. An unneeded timer is left pending: cancelling it costs an event. */
export function after(ms: number | undefined, summary: string): () => boolean {
  let passed = false;
  if (ms !== undefined) {
    void sleep(ms, { summary }).then(() => {
      passed = true;
    });
  }
  return () => passed;
}

/** Started again by somebody who says so, or a reset of another run: what that one has sent the store may have forgotten. */
export function hadRunBefore(): boolean {
  const { memo, runId, firstExecutionRunId } = workflowInfo();
  return memo?.ranBefore === true || runId !== firstExecutionRunId;
}
