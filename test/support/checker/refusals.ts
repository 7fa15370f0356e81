import type { ReceivedPost } from './observation.ts';

/** Codes by which the bank says that it judged a write and did nothing. */
const REFUSALS: ReadonlySet<number> = new Set([2002, 2004, 2006, 2007, 2009, 2010]);

/** Whether the bank said that it did nothing, even if it did something. */
export function isRefusal({ answered }: ReceivedPost): boolean {
  if (answered === null) return false;
  const { httpStatus, code } = answered;
  if (code === null) return httpStatus === 401 || httpStatus === 403;
  return REFUSALS.has(code) && httpStatus < 500;
}

/** What may be about the token: it says nothing of the order, and is no refusal of it. */
const MAY_BE_TOKEN = 2002;

/** A refusal of the order itself, by its code. */
export const isOrderRefused = (post: ReceivedPost): boolean =>
  isRefusal(post) && post.answered?.code !== null && post.answered?.code !== MAY_BE_TOKEN;

/** Whether a write, as far as its answer goes, may have been executed. */
export const mayHaveBeenExecuted = (post: ReceivedPost): boolean => !isRefusal(post);
