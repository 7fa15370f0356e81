import { isLoopback } from '../gateway/callers.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';

const PATIENCE_MS = 30_000;

/** A gateway over HTTP, as a merchant's backend asks it. Every failure is a `CommandError`. */
export interface GatewayClient {
  get<Document>(path: string): Promise<Document>;
  post<Document>(path: string, body: object): Promise<Document>;
}

/** `token`: of PAYOUTS_GATEWAY_TOKEN; undefined for a gateway that answers this machine only. */
export function gatewayClient(url: string, token: string | undefined): GatewayClient {
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
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

/**
 * The address of a gateway as it was given. Throws a `CommandError` for one that no request can be sent to, and for one
 * that token and card would go to in clear text.
 */
export function gatewayAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw addressRefused('This is no address of a gateway.', 'Write it as https://gateway.example.com.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.href)) {
    throw addressRefused(
      'A card would go to another machine in clear text.',
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

/** Every document of a gateway has a version. */
function documentIn(text: string): object | undefined {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null && 'schemaVersion' in document ? document : undefined;
  } catch {
    return undefined;
  }
}

const addressRefused = (message: string, hint: string): CommandError =>
  new CommandError(EXIT.usage, 'gateway-address', message, { hint });

const noGateway = (status: number): CommandError =>
  new CommandError(EXIT.usage, 'no-gateway', `What answers there (HTTP ${status}) is no gateway.`, {
    hint: 'Check --gateway.',
  });

const unreachable = (cause?: unknown): CommandError =>
  new CommandError(EXIT.unreachable, 'gateway-unreachable', 'The gateway does not answer.', {
    hint: 'Check --gateway, or start one: payouts dev.',
    cause,
  });

const EXIT_OF_STATUS: Readonly<Record<number, ExitCode>> = {
  401: EXIT.authentication,
  422: EXIT.invalidInput,
  500: EXIT.internal,
  503: EXIT.unreachable,
};

/** A payment that is past it is no mistake of the command's. */
const EXIT_OF_CODE: Readonly<Record<string, ExitCode>> = { 'not-now': EXIT.exceptions };

/** The error document of a gateway is that of the command. */
function refusal(status: number, document: object): CommandError {
  const { error, findings = [] } = document as {
    error?: { code?: string; message?: string; hint?: string };
    findings?: CommandError['findings'];
  };
  const { code = 'gateway-refused', message = `The gateway answered HTTP ${status}.`, hint } = error ?? {};
  return new CommandError(EXIT_OF_CODE[code] ?? EXIT_OF_STATUS[status] ?? EXIT.usage, code, message, {
    hint,
    findings,
  });
}
