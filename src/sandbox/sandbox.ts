import type { Seals } from './acquirer/seals.ts';
import type { Books } from './bank/books.ts';
import type { PostLog } from './bank/post-log.ts';
import type { SandboxClock } from './clock.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import type { FaultScript, LateCommits } from './faults/faults.ts';
import type { Tokens } from './tokens.ts';

export interface Sandbox {
  books: Books;
  clock: SandboxClock;
  tokens: Tokens;
  /** Also the token for checks of payees. */
  apiSecret: string;
  faults: FaultScript;
  /** Changed by the test route. */
  faultPlan: FaultPlan | undefined;
  lateCommits: LateCommits;
  posts: PostLog;
  /** For comparing cards of sessions and bodies of card requests without storing them. */
  seals: Seals;
  /** `wake` is called when something may be due earlier than before. */
  webhooks: { wake(): void; stop(): Promise<void> };
  allowTestRoutes: boolean;
  /** The sandbox's URL for browsers, without a trailing slash. */
  baseUrl(): string;
  /** Closes the port for `ms` by the machine's clock; open connections continue. */
  refuseConnections(ms: number): void;
}
