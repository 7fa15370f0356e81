import { z } from 'zod';
import type { ScreeningVerdict, VerificationVerdict } from '../../domain/payee.ts';
import { withDeadline } from '../deadline.ts';
import { readJsonOnce } from '../json.ts';
import type { HttpProxy } from '../proxy.ts';
import { createTransport, type HttpAnswer, HttpFailure, type Transport } from '../transport.ts';

/** By what a party is looked up in a list of parties. */
export interface Party {
  name: string;
  /** `personal` or `business`, as the bank calls it. */
  type?: string;
  /** ISO 3166 alpha-2. */
  country?: string;
}

/** A party with the account on which it is to be paid. */
export interface PayeeAccount extends Party {
  currency: string;
  /** Account number and bank codes, by the field names of the interface: `iban_no`, `swift_code`, ... */
  account: Readonly<Record<string, string>>;
}

export interface Verification {
  verdict: VerificationVerdict;
  /** For a close match: the name of the account holder. */
  otherName?: string;
  /** The provider's id for its answer. */
  caseId?: string;
}

export interface Screening {
  verdict: ScreeningVerdict;
  caseId?: string;
}

/** Checks payees before they are paid. A missing answer is thrown as a `CheckFailure`. */
export interface CheckProvider {
  /** Verdicts are stored under this name; a verdict from a provider with another name is not reused. */
  readonly name: string;
  verifyPayee(payee: PayeeAccount): Promise<Verification>;
  screen(party: Party): Promise<Screening>;
  close(): Promise<void>;
}

/** The provider has given no usable answer. The message contains nothing of the request or the answer. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}

/** Concurrent questions about the same payee share one request: the rows of a batch often have the same payee. */
export function askedOnce(provider: CheckProvider): CheckProvider {
  return {
    name: provider.name,
    verifyPayee: sharing((payee) => provider.verifyPayee(payee)),
    screen: sharing((party) => provider.screen(party)),
    close: () => provider.close(),
  };
}

function sharing<About, Answer>(ask: (about: About) => Promise<Answer>): (about: About) => Promise<Answer> {
  const running = new Map<string, Promise<Answer>>();
  return (about) => {
    const key = JSON.stringify(about);
    const known = running.get(key);
    if (known !== undefined) return known;
    const asked = ask(about).finally(() => running.delete(key));
    running.set(key, asked);
    return asked;
  };
}

interface HttpProviderOptions {
  name: string;
  /** http(s), without a trailing slash. */
  url: string;
  secret: string;
  /** For a whole check including a second try; ms. */
  timeoutMs: number;
  /** Through which it is reached; default: directly. */
  proxy?: HttpProxy | undefined;
}

const text = z.string().min(1).max(200);
const verification = z.object({
  verdict: z.enum(['match', 'close-match', 'no-match', 'not-available']),
  name: text.optional(),
  case_id: text.optional(),
});
const screening = z.object({ verdict: z.enum(['clear', 'hit', 'not-available']), case_id: text.optional() });

const BODY_BYTES_MAX = 64 * 1024;
const TRIES = 2;

/**
 * A provider with the contract of docs/security.md. A check moves no money, so a lost answer is asked for once more; a redirect is
 * not followed and counts as no answer.
 */
export function httpProvider({ name, url, secret, timeoutMs, proxy }: HttpProviderOptions): CheckProvider {
  const { origin, pathname } = new URL(url);
  const base = pathname === '/' ? '' : pathname;
  const transport = createTransport(origin, { connectMs: timeoutMs, bodyBytesMax: BODY_BYTES_MAX }, { proxy });
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${secret}` };
  const ask = <Schema extends z.ZodType>(path: string, about: object, schema: Schema): Promise<z.output<Schema>> =>
    withDeadline(timeoutMs, undefined, async (signal) => {
      const request = { method: 'POST', target: base + path, headers, body: JSON.stringify(about), signal } as const;
      return read(await exchange(transport, request), schema);
    });
  return {
    name,
    async verifyPayee(payee): Promise<Verification> {
      const { verdict, name: otherName, case_id: caseId } = await ask('/verify-payee', payee, verification);
      return { verdict, caseId, ...(verdict === 'close-match' && { otherName }) };
    },
    async screen(party): Promise<Screening> {
      const { verdict, case_id: caseId } = await ask('/screen', party, screening);
      return { verdict, caseId };
    },
    close: () => transport.close(),
  };
}

/** Tries again only after a failure that may be temporary: no answer, or a server that says it cannot answer now. */
async function exchange(transport: Transport, request: Parameters<Transport['exchange']>[0]): Promise<HttpAnswer> {
  for (let tried = 1; ; tried += 1) {
    const isLast = tried === TRIES || request.signal.aborted;
    try {
      const answer = await transport.exchange(request);
      if (isLast || !mayPass(answer)) return answer;
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      if (isLast || request.signal.aborted) throw new CheckFailure(error.message);
    }
  }
}

const mayPass = ({ status }: HttpAnswer): boolean => status === 429 || status >= 500;

function read<Schema extends z.ZodType>({ status, body }: HttpAnswer, schema: Schema): z.output<Schema> {
  if (status !== 200) throw new CheckFailure(`HTTP ${status}`);
  let json: unknown;
  try {
    json = readJsonOnce(body ?? '');
  } catch {
    throw new CheckFailure('the answer is not JSON');
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new CheckFailure('the answer does not follow the contract');
}
