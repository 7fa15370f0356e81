import { takeDueCardSteps } from './acquirer/payments.ts';
import { takeDueSteps } from './bank/order-book.ts';
import type { Sandbox } from './sandbox.ts';

/** Brings the books up to date: late commits and due steps. */
export function catchUp(sandbox: Sandbox): void {
  const { books, lateCommits } = sandbox;
  lateCommits.takeDue(books.now());
  takeDueSteps(books);
  takeDueCardSteps(sandbox);
}
