import type { Seals } from './acquirer/seals.ts';
import type { Books } from './bank/books.ts';
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
  /** Of the bank, and of the checks of payees. */
  apiSecret: string;
  faults: FaultScript;
  /** Changed by the test route. */
  faultPlan: FaultPlan | undefined;
  lateCommits: LateCommits;
  posts: PostLog;
  /** Cards of sessions and bodies of card requests, without keeping them. */
  seals: Seals;
  /** To be woken when something may fall due earlier than before. */
  webhooks: { wake(): void; stop(): Promise<void> };
  allowTestRoutes: boolean;
  /** Where a browser finds the sandbox, without a trailing slash. */
  baseUrl(): string;
  /** Closes the port for `ms` of the machine's time; connections that stand go on. */
  refuseConnections(ms: number): void;
}
