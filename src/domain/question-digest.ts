/** What is said about one question says nothing about another one: what a decision names besides the digest of the payout. */

/** Of a hold, for the reason it has now and, where people let a cost through, up to which one. */
export const holdDigest = (digest: string, code: string, upTo?: string): string =>
  [digest, code, ...(upTo === undefined ? [] : [upTo])].join('/');

/** Of the audit of an order at the bank. */
export const bankDigest = (digest: string, orderId: string): string => `${digest}/${orderId}`;

/** What an operator asks for, in words that are signed. */
export const resolveDigest = (action: string, orderId?: string): string => `${action}/${orderId ?? ''}`;
