import type { CancelRequest, ResolveAnswer } from '../messages.ts';

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
