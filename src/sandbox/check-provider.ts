import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type Answer, json, NOT_FOUND, parseBody, readBody, UNAUTHORIZED } from './http/answer.ts';
import { matchRoute, type Routes, type Target } from './http/routes.ts';
import { Refusal, read } from './requests.ts';
import type { Sandbox } from './sandbox.ts';

/** Verdicts on a payee, by the last word of its name; every other payee matches and is on no list. */
interface MadeUp {
  says: string;
  verification?: { verdict: 'close-match' | 'no-match' | 'not-available'; name?: (asked: string) => string };
  screening?: { verdict: 'hit' | 'not-available'; case_id?: string };
  /** Answers only with this HTTP status. */
  status?: number;
}

export const LAST_WORDS: Readonly<Record<string, MadeUp>> = {
  Close: {
    says: 'a close match: the account is held under the same name with an "r" at its end',
    verification: { verdict: 'close-match', name: (asked) => `${asked}r` },
  },
  Nomatch: { says: 'no match', verification: { verdict: 'no-match' } },
  Unverified: {
    says: "the payee's bank does not take part in the verification",
    verification: { verdict: 'not-available' },
  },
  Sanctioned: { says: 'on a list', screening: { verdict: 'hit', case_id: 'case-sandbox-1' } },
  Unscreened: { says: 'the lists are not available', screening: { verdict: 'not-available' } },
  NoAnswer: { says: 'both checks answer HTTP 503', status: 503 },
};

function madeUp(name: string): MadeUp | undefined {
  const word = name.trim().split(/\s+/).at(-1) ?? '';
  return Object.hasOwn(LAST_WORDS, word) ? LAST_WORDS[word] : undefined;
}

/** The server side of the contract in docs/security.md: plain JSON, a bearer token, no envelope. */

interface CheckRoute {
  body: z.ZodType<{ name: string }>;
  answer(name: string, made: MadeUp | undefined): unknown;
}

const text = z.string().min(1).max(4_096);
const party = z.strictObject({ name: text, type: text.optional(), country: text.optional() });
const payeeAccount = party.extend({ currency: text, account: z.record(text, text) });

const ROUTES: Routes<CheckRoute> = {
  'POST /checks/verify-payee': {
    body: payeeAccount,
    answer: (asked, { verification } = { says: '' }) => {
      if (verification === undefined) return { verdict: 'match' };
      const { verdict, name } = verification;
      return { verdict, name: name?.(asked) };
    },
  },
  'POST /checks/screen': {
    body: party,
    answer: (_asked, made) => made?.screening ?? { verdict: 'clear' },
  },
};

/** The answer to a check of a payee; undefined if the path is not one. */
export async function answerCheck(
  { apiSecret }: Sandbox,
  request: IncomingMessage,
  { method, pathname }: Target,
): Promise<Answer | undefined> {
  if (!pathname.startsWith('/checks/')) return undefined;
  const route = matchRoute(ROUTES, method, pathname)?.route;
  if (route === undefined) return NOT_FOUND;
  const body = await readBody(request);
  if (request.headers.authorization !== `Bearer ${apiSecret}`) return UNAUTHORIZED;
  try {
    const { name } = read(route.body, parseBody(body));
    const made = madeUp(name);
    return made?.status === undefined ? json(200, route.answer(name, made)) : json(made.status, {});
  } catch (error) {
    if (error instanceof Refusal) return json(400, { error: error.message, detail: error.detail });
    throw error;
  }
}
