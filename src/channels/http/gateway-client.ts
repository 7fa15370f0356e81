import type { z } from 'zod';
import { causeInWords } from '../../domain/causes.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { keyOfToken } from '../../people/signing/key-token.ts';
import { namesInPath, type Operation } from './operation.ts';
import { CHANNEL_HEADER } from './words.ts';

/** A worker of the gateway may take its time for an answer. */
const PATIENCE_MS = 120_000;

export type GatewayClient = ReturnType<typeof gatewayClient>;

/**
 * A client of a gateway. Every failure is a `Problem`.
 *
 * @param bearer the token of a request; undefined for a gateway that only this machine can reach
 * @param by what carries a request
 */
export function gatewayClient(url: string, bearer: () => string | undefined, by: typeof fetch = fetch) {
  const send = async (path: string, request: RequestInit): Promise<Response> => {
    const token = bearer();
    const headers = {
      ...request.headers,
      [CHANNEL_HEADER]: 'command',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const response = await answerTo(by, url + path, { ...request, headers });
    if (response.ok) return response;
    const document = documentIn(await textOf(response));
    if (document !== undefined)
      throw refusal(response, document, token === undefined ? undefined : hintOfToken(token, url));
    throw response.status >= 500 ? unreachable() : noGateway(response.status);
  };
  const ask = async <Document>(path: string, request: RequestInit): Promise<Document> => {
    const response = await send(path, request);
    const document = documentIn(await textOf(response));
    if (document === undefined) throw noGateway(response.status);
    return document as Document;
  };
  const get = <Document>(path: string) => ask<Document>(path, { method: 'GET' });
  const post = <Document>(path: string, body: object) =>
    ask<Document>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** As long as something comes: all of it may take longer than one answer, and its reader may pause. */
  async function* stream(path: string): AsyncGenerator<string> {
    const noAnswer = new AbortController();
    const { signal } = noAnswer;
    const inTime = async <Result>(work: Promise<Result>): Promise<Result> => {
      const timer = setTimeout(() => noAnswer.abort(), PATIENCE_MS);
      return work.finally(() => clearTimeout(timer));
    };
    try {
      const { body } = await inTime(send(path, { method: 'GET', signal }));
      if (body === null) return;
      const chunks = body[Symbol.asyncIterator]();
      const text = new TextDecoder();
      for (let next = await inTime(chunks.next()); next.done !== true; next = await inTime(chunks.next())) {
        yield text.decode(next.value, { stream: true });
      }
    } catch (error) {
      throw error instanceof Problem ? error : unreachable(error);
    } finally {
      noAnswer.abort();
    }
  }
  return {
    get,
    post,
    /** The response itself, whose status says success. */
    send,
    /** An operation that answers text in pieces. */
    pieces: ({ path }: { path: string }, input: object): AsyncGenerator<string> => {
      const { address, others } = addressed(path, input);
      return stream(`${address}${queryOf(others)}`);
    },
    /** The text of an answer, as it arrives. */
    stream,
    /** Has an operation carried out by the gateway. */
    carryOut<Input extends z.ZodObject, Answer extends object>(
      { method, path }: Pick<Operation<never, Input, Answer>, 'method' | 'path'>,
      input: z.output<Input>,
    ): Promise<Answer> {
      const { address, others } = addressed(path, input);
      return method === 'GET' ? get(`${address}${queryOf(others)}`) : post(address, others);
    },
  };
}

function addressed(path: string, input: object): { address: string; others: Record<string, unknown> } {
  const others: Record<string, unknown> = { ...input };
  let address = path;
  for (const name of namesInPath(path)) {
    address = address.replace(`:${name}`, encodeURIComponent(String(others[name])));
    delete others[name];
  }
  return { address, others };
}

/** Lists are separated by commas; what is absent is left out. */
function queryOf(members: Record<string, unknown>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? '' : `?${query}`;
}

/**
 * The given address of a gateway. Throws a `Problem` if no request can be sent to it, or if what is sent would be in clear text.
 */
export function gatewayAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw addressRefused('This is not the address of a gateway.', 'Write it as https://gateway.example.com.');
  }
  if (url.protocol === 'http:' && !leadsHere(url.href)) {
    throw addressRefused(
      'What is sent would go to another machine in clear text.',
      'Use https://, or http:// on this machine.',
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

async function answerTo(by: typeof fetch, url: string, request: RequestInit): Promise<Response> {
  try {
    const { signal = AbortSignal.timeout(PATIENCE_MS) } = request;
    return await by(url, { ...request, redirect: 'manual', signal });
  } catch (error) {
    throw unreachable(error);
  }
}

const textOf = (response: Response): Promise<string> =>
  response.text().catch((error: unknown) => {
    throw unreachable(error);
  });

/** The JSON document, if it has a version as every document of a gateway has. */
function documentIn(text: string): object | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null && 'schemaVersion' in document ? document : undefined;
  } catch {
    return undefined;
  }
}

const addressRefused = (message: string, hint: string): Problem =>
  new Problem('usage', 'gateway-address', message, { hint });

const noGateway = (status: number): Problem =>
  new Problem('usage', 'no-gateway', `What answers there (HTTP ${status}) is not a gateway.`, {
    hint: 'Check --gateway or PAYOUTS_GATEWAY_URL.',
  });

function unreachable(cause?: unknown): Problem {
  const { message, hint } = causeInWords(cause, 'gateway') ?? {
    message: 'The gateway does not answer.',
    hint: 'Check --gateway or PAYOUTS_GATEWAY_URL.',
  };
  return new Problem('unreachable', 'gateway-unreachable', message, {
    hint: `${hint} Without a gateway named, payouts dev starts one on this machine.`,
    cause,
  });
}

const KIND_OF_STATUS: Readonly<Record<number, ProblemKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'wrong-method',
  409: 'conflict',
  422: 'invalid-input',
  429: 'too-many',
  500: 'internal',
  502: 'refused',
  503: 'unreachable',
};

/** Kinds that share a status with others. That a payment is past this step is not an error in the command. */
const KIND_OF_CODE: Readonly<Record<string, ProblemKind>> = {
  'not-now': 'refused',
  'already-taken': 'already-taken',
  'authentication-refused': 'bank-authentication',
};

/** What a refused token may be wrong about, which the gateway shows nobody who is not signed in. */
const hintOfToken = (token: string, url: string): string | undefined =>
  keyOfToken(token) === undefined
    ? undefined
    : `The policy of the gateway knows no such key, or its origin is not ${new URL(url).origin}: PAYOUTS_GATEWAY_URL must be that origin, or without one an address of this machine.`;

/** Instead of hints that are meant for programs, or for those who run the gateway. */
const HINT_OF_CODE: Readonly<Record<string, string>> = {
  'token-refused':
    'Set PAYOUTS_SIGNING_KEY_FILE to your own key, or PAYOUTS_GATEWAY_TOKEN to a token of the gateway. Under a policy the token is that of a person (payouts policy token), and PAYOUTS_POLICY must not be set beside it.',
  'no-worker':
    'The people who keep the installation can start one. See the status before you ask again: it may still be carried out.',
};

/** The gateway's error document, as a `Problem` of this command. */
function refusal({ status, headers }: Response, document: object, hintOfSent: string | undefined): Problem {
  const { error, findings = [] } = document as {
    error?: { code?: string; message?: string; hint?: string; batchId?: string };
    findings?: Problem['findings'];
  };
  const { code = 'gateway-refused', message = `The gateway answered HTTP ${status}.`, hint, batchId } = error ?? {};
  const retryAfterS = Number(headers.get('retry-after') ?? Number.NaN);
  return new Problem(KIND_OF_CODE[code] ?? KIND_OF_STATUS[status] ?? 'usage', code, message, {
    hint:
      (code === 'token-refused' ? hintOfSent : undefined) ??
      HINT_OF_CODE[code] ??
      hint ??
      'Check --gateway or PAYOUTS_GATEWAY_URL.',
    batchId,
    findings,
    ...(Number.isFinite(retryAfterS) && { retryAfterS }),
  });
}
