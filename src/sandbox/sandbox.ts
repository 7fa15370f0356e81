import { takeDueCardSteps } from './acquirer/payments.ts';
import type { Seals } from './acquirer/seals.ts';
import type { WebhookSender } from './acquirer/webhook-sender.ts';
import type { Books } from './bank/books.ts';
import { takeDueSteps } from './bank/order-life.ts';
import type { PostLog } from './bank/post-log.ts';
import type { SandboxClock } from './clock.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import type { FaultScript } from './faults/faults.ts';
import type { LateCommits } from './faults/late-commits.ts';
import type { Tokens } from './tokens.ts';

/** Everything one running sandbox is made of. */
export interface Sandbox {
  books: Books;
  clock: SandboxClock;
  tokens: Tokens;
  faults: FaultScript;
  /** Changed by the test route. */
  faultPlan: FaultPlan | undefined;
  lateCommits: LateCommits;
  posts: PostLog;
  /** Cards of sessions and bodies of card requests, without keeping them. */
  seals: Seals;
  webhooks: WebhookSender;
  allowTestRoutes: boolean;
  /** Where a browser finds the sandbox, without a trailing slash. */
  baseUrl(): string;
  /** Closes the port for `ms` of the machine's time; connections that stand go on. */
  refuseConnections(ms: number): void;
}

/** Brings the books to the present: late commits and steps that have fallen due. */
export function catchUp(sandbox: Sandbox): void {
  const { books, lateCommits } = sandbox;
  lateCommits.takeDue(books.now());
  takeDueSteps(books);
  takeDueCardSteps(sandbox);
}
