import { RESUMES_MAX } from '../../domain/card-terms.ts';
import { cardRequestId } from '../../domain/identity.ts';

/** merchant_request_ids of one intent: of the create, of the one that starts over, and of the n-th resume. */
export interface CardRequestIds {
  create: string[];
  resume: string[];
}

/** The first create uses the caller's own id. */
export function requestIdsOf(id: string): CardRequestIds {
  return {
    create: [id, restartIdOf(id)],
    resume: Array.from({ length: RESUMES_MAX }, (_, n) => cardRequestId(id, 'resume', n)),
  };
}

/**
 * Id of the create that starts over with a 3DS setup. It is registered for the intent as soon as an answer asks for a setup, so
 * that a later run knows.
 */
export const restartIdOf = (id: string): string => cardRequestId(id, 'create', 1);
