import type { CancelRequest, ResolveAnswer } from '../messages.ts';

/** An operator's request, in the inbox until the step that can check it has answered. */
export interface PendingResolve<Request> {
  request: Request;
  answer?: ResolveAnswer;
}

/** What people ask of an execution: to decide what no interface can, and to cancel. */
export class Inbox<Request> {
  readonly resolves: PendingResolve<Request>[] = [];
  /** Set by the update `cancel` or by a Temporal cancellation; steps look at it where stopping is still possible. */
  cancel: CancelRequest | undefined;

  /** The request that is checked next. */
  get asked(): PendingResolve<Request> | undefined {
    return this.resolves[0];
  }

  /** Until it is called, whoever leaves the state in which the request came answers it. */
  answer(pending: PendingResolve<Request>, answer: ResolveAnswer): void {
    pending.answer = answer;
    this.resolves.splice(this.resolves.indexOf(pending), 1);
  }

  /** What was asked for in a state that is over finds no step that could check it. */
  refuseAll(message: string): void {
    for (let { asked } = this; asked !== undefined; { asked } = this) this.answer(asked, { accepted: false, message });
  }
}
