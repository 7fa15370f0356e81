import { RESTARTS_MAX, RESUMES_MAX } from '../../domain/card-terms.ts';
import { cardRequestId } from '../../domain/identity.ts';

/** merchant_request_ids of one intent: the n-th create, and for each of its cards the n-th resume. */
export interface CardRequestIds {
  create: string[];
  resume: string[];
}

/** `cards`: the most cards that may be given. The first create uses the caller's own id. */
export function requestIdsOf(id: string, cards: number): CardRequestIds {
  return {
    create: Array.from({ length: RESTARTS_MAX + cards }, (_, n) => (n === 0 ? id : cardRequestId(id, 'create', n))),
    resume: Array.from({ length: RESUMES_MAX * cards }, (_, n) => cardRequestId(id, 'resume', n)),
  };
}

/**
 * Id of the create that starts over with a 3DS setup. It is registered for the intent as soon as an answer asks for a setup, so
 * that a later run knows.
 */
export const restartIdOf = (id: string): string => cardRequestId(id, 'create', RESTARTS_MAX);
