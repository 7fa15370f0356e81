import type { Books } from './books.ts';
import type { SandboxClock } from './clock.ts';
import type { FaultScript } from './faults.ts';
import type { Tokens } from './tokens.ts';

/** Everything one running sandbox is made of. */
export interface Sandbox {
  books: Books;
  clock: SandboxClock;
  tokens: Tokens;
  faults: FaultScript;
  allowTestRoutes: boolean;
}
