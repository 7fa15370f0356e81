import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A bank that answers what a test scripts, byte for byte if need be, and remembers every request. */
interface SeenRequest {
  method: string;
  target: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Requests of one connection share a number. */
  connection: number;
}

export interface ScriptedBank extends AsyncDisposable {
  baseUrl: string;
  /** Requests other than those for a token, in order. */
  seen: SeenRequest[];
  tokenRequests: SeenRequest[];
}

export type Script = (request: SeenRequest, response: ServerResponse) => void;

export const ok = (data?: unknown): Script => answer(200, { code: 0, msg: 'Ok', data });

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Closes the connection after the request was read, with no byte of an answer. */
export const hangUp: Script = (_request, response) => {
  response.socket?.resetAndDestroy();
};

/** Never answers. */
export const noAnswer: Script = () => {};

/** Writes raw bytes on the socket and closes it. */
export const raw =
  (text: string): Script =>
  (_request, response) => {
    response.socket?.end(text);
  };

/** One script after the other; the last one stays. */
export function inOrder(...scripts: Script[]): Script {
  let next = 0;
  return (request, response) => scripts[Math.min(next++, scripts.length - 1)]?.(request, response);
}

const DEFAULT_TOKEN = ok({ access_token: 'token-1', expired_in: 3600 });

export async function scriptedBank(script: Script, tokenScript: Script = DEFAULT_TOKEN): Promise<ScriptedBank> {
  const seen: SeenRequest[] = [];
  const tokenRequests: SeenRequest[] = [];
  const connections = new Map<Socket, number>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: SeenRequest = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
      connection: connections.get(incoming.socket) ?? 0,
    };
    const isToken = request.target.endsWith('/v1/auth');
    (isToken ? tokenRequests : seen).push(request);
    (isToken ? tokenScript : script)(request, response);
  });
  server.on('connection', (socket) => connections.set(socket, connections.size + 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    tokenRequests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
