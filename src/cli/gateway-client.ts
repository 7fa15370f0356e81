import { CommandError, EXIT, type ExitCode } from './exit.ts';

const PATIENCE_MS = 30_000;

/** A gateway over HTTP, as a merchant's backend asks it. Every failure is a `CommandError`. */
export interface GatewayClient {
  get<Document>(path: string): Promise<Document>;
  post<Document>(path: string, body: object): Promise<Document>;
}

/** `token`: of PAYOUTS_GATEWAY_TOKEN; undefined for a gateway that answers this machine only. */
export function gatewayClient(url: string, token: string | undefined): GatewayClient {
  const base = url.replace(/\/+$/, '');
  const ask = async <Document>(path: string, request: RequestInit): Promise<Document> => {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    let response: Response;
    let document: unknown;
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      response = await fetch(base + path, { ...request, headers, redirect: 'error', signal });
      document = await response.json();
    } catch (error) {
      throw new CommandError(EXIT.unreachable, 'gateway-unreachable', 'The gateway does not answer.', {
        hint: 'Check --gateway, or start one: payouts dev. The same command can be run again.',
        cause: error,
      });
    }
    if (response.ok) return document as Document;
    throw refusal(response.status, document);
  };
  return {
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

const EXIT_OF_STATUS: Readonly<Record<number, ExitCode>> = {
  401: EXIT.authentication,
  422: EXIT.invalidInput,
  500: EXIT.internal,
  503: EXIT.unreachable,
};

/** The error document of a gateway is that of the command. */
function refusal(status: number, document: unknown): CommandError {
  const { error, findings = [] } = document as {
    error?: { code?: string; message?: string; hint?: string };
    findings?: CommandError['findings'];
  };
  const { code = 'gateway-refused', message = `The gateway answered HTTP ${status}.`, hint } = error ?? {};
  return new CommandError(EXIT_OF_STATUS[status] ?? EXIT.usage, code, message, { hint, findings });
}
