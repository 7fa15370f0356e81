import type { ServerResponse } from 'node:http';
import { ENVELOPE_CODES } from '../../api/schemas/envelope.ts';
import type { Profile } from '../profile.ts';
import { MATCHING_STATUS, Refusal } from '../refusal.ts';

/** One HTTP answer before it is sent. */
export interface Answer {
  status: number;
  contentType: string;
  body: string;
}

export const json = (status: number, value: unknown): Answer => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

export const html = (status: number): Answer => ({
  status,
  contentType: 'text/html; charset=utf-8',
  body: `<!doctype html><title>${status}</title><h1>${status}</h1>`,
});

/** Envelope of a success (interface section 1); `data` stays out when there is none. */
export const success = (data: unknown): Answer => json(200, { code: 0, msg: ENVELOPE_CODES[0], data });

/** Envelope of a refusal. The HTTP status is not shown by the interface: the profile or the fault says which. */
export function refusal(
  { code, message, detail }: Pick<Refusal, 'code' | 'message' | 'detail'>,
  profile: Profile,
  httpStatus?: number,
): Answer {
  const status = profile.errorStatus === 'matching' ? MATCHING_STATUS[code] : 200;
  // `detail` is the sandbox's own: the interface shows code, msg and data.
  return json(httpStatus ?? status, { code, msg: message, detail });
}

/** The answer to a call that threw: its own code, or 2001 for a bug of ours. */
export function failure(error: unknown, profile: Profile): Answer {
  if (error instanceof Refusal) return refusal(error, profile);
  console.error('sandbox: a request failed', error);
  return refusal(new Refusal(2001), profile);
}

/** No envelope, so that a client that looks for a code finds none (interface section 5 shows no body). */
export const UNAUTHORIZED = json(401, { error: 'unauthorized' });
export const FORBIDDEN = json(403, { error: 'forbidden' });
export const NOT_FOUND = json(404, { error: 'not found' });
export const TOO_LARGE = json(413, { error: 'body too large' });

export function send(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
