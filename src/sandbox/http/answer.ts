import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENVELOPE_CODES } from '../../bank/schemas/envelope.ts';
import type { Profile } from '../bank/profile.ts';
import { badRequest, MATCHING_STATUS, Refusal } from '../requests.ts';

const BODY_BYTES_MAX = 1024 * 1024;

/** The body exceeded `BODY_BYTES_MAX`; the rest was dropped. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Reads a whole request body. Throws `BodyTooLarge`. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not close the socket: the refusal is sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A JSON object; a missing body counts as an empty one. Throws 2002. */
export function parseBody(text: string): Record<string, unknown> {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body is not a JSON object');
  return value as Record<string, unknown>;
}

export interface Answer {
  status: number;
  contentType: string;
  body: string | Buffer;
  /** What the body says, if it is JSON. */
  value?: unknown;
  retryAfterSeconds?: number | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Sent at least this many milliseconds after it was made, by the machine's clock. */
  notBeforeMs?: number;
}

type TextAnswer = Answer & { body: string };

export const json = (status: number, value: unknown): TextAnswer => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
  value,
});

export const html = (status: number, retryAfterSeconds?: number): Answer => ({
  status,
  retryAfterSeconds,
  contentType: 'text/html; charset=utf-8',
  body: `<!doctype html><title>${status}</title><h1>${status}</h1>`,
});

/** Members with a decimal (interface section 2). */
const DECIMALS = /"(balance|frozen|fee|rate|(?:sell|buy|transaction)_amount)":"(\d+(?:\.\d+)?)"/g;

/** Success envelope (interface section 1); without `data` if there is none. */
export function success(data: unknown, { decimals }: Profile): Answer {
  const answer = json(200, { code: 0, msg: ENVELOPE_CODES[0], data });
  return decimals === 'string' ? answer : { ...answer, body: answer.body.replace(DECIMALS, '"$1":$2') };
}

/** Refusal envelope. The interface does not show its HTTP status: profile or fault decides it. */
export function refusal({ code, message, detail }: Refusal, profile: Profile, httpStatus?: number): TextAnswer {
  const status = profile.errorStatus === 'matching' ? MATCHING_STATUS[code] : 200;
  // `detail` is an addition of the sandbox: the interface shows code, msg and data.
  return json(httpStatus ?? status, { code, msg: message, detail });
}

/** The answer after an exception: the refusal's code, or 2001 for a bug of the sandbox. */
export function failure(error: unknown, profile: Profile): TextAnswer {
  if (error instanceof Refusal) return refusal(error, profile);
  console.error('sandbox: a request failed', error);
  return refusal(new Refusal(2001), profile);
}

/** Without an envelope, so that clients find no code (interface section 5 shows no body). */
export const UNAUTHORIZED = json(401, { error: 'unauthorized' });
export const FORBIDDEN = json(403, { error: 'forbidden' });
export const NOT_FOUND = json(404, { error: 'not found' });
export const TOO_LARGE = json(413, { error: 'body too large' });

export function send(response: ServerResponse, answer: Answer): void {
  sendHead(response, answer);
  response.end(answer.body);
}

/** Status and headers, including the length of the whole body. */
export function sendHead(
  response: ServerResponse,
  { status, contentType, body, retryAfterSeconds, headers = {} }: Answer,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', Buffer.byteLength(body));
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds);
  response.writeHead(status);
}
