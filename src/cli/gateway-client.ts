import { leadsHere } from '../domain/loopback.ts';
import { Problem, type ProblemKind } from '../domain/problem.ts';

const PATIENCE_MS = 30_000;

export type GatewayClient = ReturnType<typeof gatewayClient>;

/**
 * A client of a gateway, as a merchant's backend would use it. Every failure is a `Problem`.
 *
 * @param token from PAYOUTS_GATEWAY_TOKEN; undefined for a gateway that only this machine can reach
 */
export function gatewayClient(url: string, token: string | undefined) {
  const ask = async <Document>(path: string, request: RequestInit): Promise<Document> => {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const { ok, status, text } = await answerTo(url + path, { ...request, headers });
    const document = documentIn(text);
    if (document === undefined) throw status >= 500 ? unreachable() : noGateway(status);
    if (ok) return document as Document;
    throw refusal(status, document);
  };
  return {
    get: <Document>(path: string) => ask<Document>(path, { method: 'GET' }),
    post: <Document>(path: string, body: object) => ask<Document>(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

/**
 * The given address of a gateway. Throws a `Problem` if no request can be sent to it, or if token and card would be sent in clear
 * text.
 */
export function gatewayAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw addressRefused('This is not the address of a gateway.', 'Write it as https://gateway.example.com.');
  }
  if (url.protocol === 'http:' && !leadsHere(url.href)) {
    throw addressRefused(
      'The card would be sent to another machine in clear text.',
      'Use https://, or http:// on this machine.',
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

async function answerTo(url: string, request: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    throw unreachable(error);
  }
}

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
    hint: 'Check --gateway.',
  });

const unreachable = (cause?: unknown): Problem =>
  new Problem('unreachable', 'gateway-unreachable', 'The gateway does not answer.', {
    hint: 'Check --gateway, or start one: payouts dev.',
    cause,
  });

const KIND_OF_STATUS: Readonly<Record<number, ProblemKind>> = {
  401: 'unauthenticated',
  422: 'invalid-input',
  500: 'internal',
  503: 'unreachable',
};

/** That a payment is past this step is not an error in the command. */
const KIND_OF_CODE: Readonly<Record<string, ProblemKind>> = { 'not-now': 'refused' };

/** Instead of hints that are meant for programs. */
const HINT_OF_CODE: Readonly<Record<string, string>> = {
  'token-refused':
    'Set PAYOUTS_GATEWAY_TOKEN to a token of the gateway. Under a policy it is the token of a person (payouts policy token), and PAYOUTS_POLICY must not be set for this command.',
};

/** The gateway's error document, as a `Problem` of this command. */
function refusal(status: number, document: object): Problem {
  const { error, findings = [] } = document as {
    error?: { code?: string; message?: string; hint?: string };
    findings?: Problem['findings'];
  };
  const { code = 'gateway-refused', message = `The gateway answered HTTP ${status}.`, hint } = error ?? {};
  return new Problem(KIND_OF_CODE[code] ?? KIND_OF_STATUS[status] ?? 'usage', code, message, {
    hint: HINT_OF_CODE[code] ?? hint,
    findings,
  });
}
