import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { CodecSpace } from '../codec/codec-server.ts';
import { leadsHere } from '../domain/loopback.ts';
import { answerCodecRequest, CODEC_PATH, codecOperation } from './codec-endpoint.ts';
import { apiTarget, type DevServerPorts, RENDER_PATH, SEALED_UI_PATH } from './dev-server-ports.ts';

const HOST = '127.0.0.1';

/** The UI server requires the same token in header and cookie of a write; who may write is decided here (`isOwnPage`). */
const CSRF_TOKEN = 'own';

const KEPT_OF_ANSWERS = ['content-type', 'content-security-policy', 'last-modified', 'cache-control'] as const;

export interface WebUi {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the Temporal Web UI of the embedded server: files and API of the CLI's UI server, which is closed to everybody else
 * (`dev-server-ports.ts`). Answers a request only if its Host is this machine and its Origin, required for a write, is the same:
 * pages of other sites, and other names that resolve to this machine, get 403. Throws the server's own error if the port is
 * taken. Without `codec`, payloads are shown as they are stored, since this port checks no tokens.
 */
export async function startWebUi(port: number, doors: DevServerPorts, codec: CodecSpace | undefined): Promise<WebUi> {
  const server = createServer((incoming, answer) => {
    if (!isOwnPage(incoming)) return refuse(answer, 403, 'Only requests from pages of this address are accepted.');
    serve(incoming, answer, doors, codec).catch(() => {
      if (answer.headersSent) answer.destroy();
      else refuse(answer, 502, 'The embedded Temporal server does not answer.');
    });
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The port may differ, as through a tunnel to here. No page of another site has a name of this machine in either header. */
function isOwnPage(incoming: IncomingMessage): boolean {
  const { method = '', headers } = incoming;
  const { host = '', origin } = headers;
  if (!leadsHere(host)) return false;
  if (origin !== undefined) return origin === `http://${host}`;
  return isRead(method) || isCommand(incoming);
}

/**
 * The `temporal` command sends no Origin. A page cannot omit it, nor send this content type to another origin without a
 * preflight.
 */
const isCommand = (incoming: IncomingMessage): boolean =>
  codecOperation(incoming) !== undefined && JSON_TYPE.test(incoming.headers['content-type'] ?? '');

const JSON_TYPE = /^application\/json *(?:;|$)/i;

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

async function serve(
  incoming: IncomingMessage,
  answer: ServerResponse,
  doors: DevServerPorts,
  codec: CodecSpace | undefined,
): Promise<void> {
  const { url = '', method = '' } = incoming;
  const operation = codecOperation(incoming);
  if (operation !== undefined) {
    if (codec === undefined)
      return refuse(answer, 403, 'Here payloads are decoded only by /codec of the gateway, with a token.');
    const { status, document } = await answerCodecRequest(incoming, operation, codec);
    answer.statusCode = status;
    return send(answer, 'application/json', JSON.stringify(document));
  }
  if (!url.startsWith('/')) return refuse(answer, 400, 'This is not a valid path.');
  if (/^\/api\/v1\/settings(?:\?|$)/.test(url)) {
    return sendSettings(answer, await ask(incoming, answer, toApi(incoming, doors)), codec && incoming.headers.host);
  }
  if (url.startsWith('/api/')) return passOn(incoming, answer, toApi(incoming, doors));
  if (!isRead(method)) return refuse(answer, 405, 'Only GET and HEAD are allowed here.');
  // The UI shows Markdown in frames from this route, which SEALED_UI_PATH has moved.
  const path = url.startsWith('/render?') ? url.replace('/render', RENDER_PATH) : url;
  return passOn(incoming, answer, { port: doors.uiPort, path, headers: { host: `${HOST}:${doors.uiPort}` } });
}

function toApi({ url = '', headers }: IncomingMessage, doors: DevServerPorts): RequestOptions {
  const length = headers['content-length'];
  return {
    port: doors.uiPort,
    path: apiTarget(doors, url),
    headers: {
      host: `${HOST}:${doors.uiPort}`,
      cookie: `_csrf=${CSRF_TOKEN}`,
      'x-csrf-token': CSRF_TOKEN,
      ...(length === undefined ? {} : { 'content-length': length }),
    },
  };
}

/** Forwards only named headers, either way: no header of a browser reaches the server, no cookie comes back. */
async function ask(incoming: IncomingMessage, answer: ServerResponse, to: RequestOptions): Promise<IncomingMessage> {
  const outgoing = request({ host: HOST, method: incoming.method, agent: false, ...to });
  answer.once('close', () => outgoing.destroy());
  // Errors after the answer has begun are reported by its own stream.
  outgoing.on('error', () => undefined);
  incoming.pipe(outgoing);
  const [from] = (await once(outgoing, 'response')) as [IncomingMessage];
  return from;
}

async function passOn(incoming: IncomingMessage, answer: ServerResponse, to: RequestOptions): Promise<void> {
  const from = await ask(incoming, answer, to);
  const type = from.headers['content-type'] ?? '';
  answer.statusCode = from.statusCode ?? 502;
  for (const name of KEPT_OF_ANSWERS) answer.setHeader(name, from.headers[name] ?? []);
  if (!type.startsWith('text/html') || from.headers['content-security-policy'] !== undefined)
    return pipeline(from, answer);
  return sendPage(answer, await text(from));
}

/**
 * The UI server's own settings, whose version decides how the page encodes ids in paths, plus the address of our codec server, if
 * any, as the page sees it.
 */
async function sendSettings(
  answer: ServerResponse,
  from: IncomingMessage,
  codecHost: string | undefined,
): Promise<void> {
  const settings = JSON.parse(await text(from)) as object;
  const ours = {
    DefaultNamespace: 'default',
    NotifyOnNewVersion: false,
    Codec: { Endpoint: codecHost === undefined ? '' : `http://${codecHost}${CODEC_PATH}` },
  };
  send(answer, 'application/json', JSON.stringify({ ...settings, ...ours }));
}

/**
 * The page without the SEALED_UI_PATH that the server wrote into it, and with the content security policy that the UI server
 * drops for such a path.
 */
function sendPage(answer: ServerResponse, sealed: string): void {
  const page = sealed.replaceAll(SEALED_UI_PATH, '');
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  );
  answer.setHeader(
    'content-security-policy',
    `script-src 'strict-dynamic' ${scripts.join(' ')}; frame-ancestors 'self'`,
  );
  send(answer, 'text/html; charset=utf-8', page);
}

function send(answer: ServerResponse, type: string, body: string): void {
  answer.setHeader('content-type', type);
  answer.setHeader('x-content-type-options', 'nosniff');
  answer.end(body);
}

function refuse(answer: ServerResponse, status: number, why: string): void {
  answer.statusCode = status;
  send(answer, 'text/plain; charset=utf-8', `${why}\n`);
}
