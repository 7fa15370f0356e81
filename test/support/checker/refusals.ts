import type { ReceivedPost } from './observation.ts';

/** Codes by which the bank says that it judged a write and did nothing. */
const REFUSALS: ReadonlySet<number> = new Set([2002, 2004, 2006, 2007, 2009, 2010]);

/** Whether the bank said that it did nothing, whatever it did. */
export function isRefusal({ answered }: ReceivedPost): boolean {
  if (answered === null) return false;
  const { httpStatus, code } = answered;
  if (code === null) return httpStatus === 401 || httpStatus === 403;
  return REFUSALS.has(code) && httpStatus < 500;
}

/** A refusal by a code of the bank, and not by the HTTP status alone. */
export const isRefusedByCode = (post: ReceivedPost): boolean => isRefusal(post) && post.answered?.code !== null;

/** Whether a write, as far as its answer goes, may have been executed. */
export const mayHaveBeenExecuted = (post: ReceivedPost): boolean => !isRefusal(post);
