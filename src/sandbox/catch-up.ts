import { takeDueCardSteps } from './acquirer/payments.ts';
import { takeDueSteps } from './bank/order-life.ts';
import type { Sandbox } from './sandbox.ts';

/** Brings the books to the present: late commits and steps that have fallen due. */
export function catchUp(sandbox: Sandbox): void {
  const { books, lateCommits } = sandbox;
  lateCommits.takeDue(books.now());
  takeDueSteps(books);
  takeDueCardSteps(sandbox);
}
