/** Digests that bind a decision to one question: an answer to one question says nothing about another. */

/** For a hold: bound to its present reason and, if people let a cost through, to how high it may be (`upTo`). */
export const holdDigest = (digest: string, code: string, upTo?: string): string =>
  [digest, code, ...(upTo === undefined ? [] : [upTo])].join('/');

/** For the bank's audit of an order. */
export const bankDigest = (digest: string, orderId: string): string => `${digest}/${orderId}`;

/** For what an operator asks for; these words are signed. */
export const resolveDigest = (action: string, orderId?: string): string => `${action}/${orderId ?? ''}`;

/** What an operator signs who records that an incident was dealt with. */
export const acknowledgementOf = (id: string, remark: string) =>
  ({ question: 'resolve', reference: id, digest: resolveDigest('acknowledge', id), remark }) as const;
