import { Refusal } from '../refusal.ts';
import type { Sandbox } from '../sandbox.ts';

/** Interface section 8: the same merchant_request_id within this time gets the first response. */
const WINDOW_MS = 24 * 3_600_000;

/**
 * The answer that a known id got, byte for byte; undefined for a new id, and after the window. Refusals changed nothing and are
 * not stored. Throws 2003 for another body under the profile `cardReplay: 'refuse-changed'`.
 */
export function firstAnswer({ books, seals }: Sandbox, requestId: string, body: object): string | undefined {
  const known = books.db.one<{ answer: string }>(
    'SELECT answer FROM card_requests WHERE merchant_request_id = :requestId AND at > :since',
    { requestId, since: books.now() - WINDOW_MS },
  );
  if (known === undefined) return undefined;
  if (books.profile.cardReplay === 'refuse-changed' && !seals.fits(sealed(requestId), JSON.stringify(body))) {
    throw new Refusal(2003, 'merchant_request_id: known with another body');
  }
  return known.answer;
}

export function keepAnswer({ books, seals }: Sandbox, requestId: string, body: object, answer: string): void {
  books.db.run(
    `INSERT INTO card_requests (merchant_request_id, at, answer) VALUES (:requestId, :at, :answer)
     ON CONFLICT (merchant_request_id) DO UPDATE SET at = excluded.at, answer = excluded.answer`,
    { requestId, at: books.now(), answer },
  );
  seals.put(sealed(requestId), JSON.stringify(body));
}

/** A prefix keeps it apart from the seals of sessions, whatever the id. */
const sealed = (requestId: string): string => `request/${requestId}`;
