import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { marked } from 'marked';
import { leadsHere } from '../../domain/loopback.ts';
import type { CodecSpace } from '../codec/codec-server.ts';
import { answerCodecRequest, bytesOf, CODEC_PATH, codecOperation } from './codec-endpoint.ts';
import type { TemporalHttpApi } from './temporal-http-api.ts';
import type { UiFiles } from './ui-files.ts';

const HOST = '127.0.0.1';
const SETTINGS = '/api/v1/settings';

export interface WebUi {
  url: string;
  close(): Promise<void>;
}

interface WebUiOptions {
  port: number;
  api: Pick<TemporalHttpApi, 'answer' | 'close'>;
  files: Pick<UiFiles, 'read' | 'close'>;
  /** undefined: payloads are shown as they are stored, since this port checks no tokens. */
  codec: CodecSpace | undefined;
}

/**
 * Serves the Temporal Web UI of the embedded server. Answers a request only if its Host is this machine and its Origin, required
 * for a write, is the same: pages of other sites, and other names that resolve to this machine, get 403. Throws the server's own
 * error if the port is taken.
 */
export async function startWebUi({ port, ...sources }: WebUiOptions): Promise<WebUi> {
  const { api, files } = sources;
  const server = createServer((incoming, answer) => {
    if (!isOwnPage(incoming)) return refuse(answer, 403, 'Only requests from pages of this address are accepted.');
    serve(incoming, answer, sources).catch((error: unknown) => {
      if (answer.headersSent) answer.destroy();
      else if (error instanceof RangeError) refuse(answer, 413, 'The body is larger than 8 MiB.');
      else refuse(answer, 502, 'The files of the Temporal Web UI cannot be read from the Temporal CLI.');
    });
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all([api.close(), files.close()]);
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

type Sources = Omit<WebUiOptions, 'port'>;

async function serve(incoming: IncomingMessage, answer: ServerResponse, sources: Sources): Promise<void> {
  const { url = '', method = '', headers } = incoming;
  const { api, files, codec } = sources;
  const operation = codecOperation(incoming);
  if (operation !== undefined) {
    if (codec === undefined)
      return refuse(answer, 403, 'Here payloads are decoded only by /codec of the gateway, with a token.');
    const { status, document } = await answerCodecRequest(incoming, operation, codec);
    return sendJson(answer, status, document);
  }
  // In absolute form the target names a host of its own.
  if (!url.startsWith('/')) return refuse(answer, 400, 'This is not a valid path.');
  const [path = ''] = url.split('?');
  if (path === SETTINGS) return sendJson(answer, 200, await settings(files, codec && headers.host));
  if (path.startsWith('/api/')) {
    const { status, json } = await api.answer({
      method,
      target: url,
      body: (await bytesOf(incoming)).toString('utf8'),
      signal: endOf(answer),
    });
    return sendJson(answer, status, json);
  }
  if (!isRead(method)) return refuse(answer, 405, 'Only GET and HEAD are allowed here.');
  if (path === '/render') return sendMarkdown(answer, new URL(url, 'http://ui').searchParams);
  const file = await files.read(isPage(path, headers.accept) ? '/' : path);
  if (file === undefined) return refuse(answer, 404, 'The Temporal Web UI has no such file.');
  if (path.startsWith('/_app/immutable/')) answer.setHeader('cache-control', 'max-age=31536000, immutable');
  if (file.csp !== undefined) answer.setHeader('content-security-policy', file.csp);
  send(answer, file.type, file.body);
}

/** All pages are one file, whose script reads the address; every other file has an extension. */
const isPage = (path: string, accept = ''): boolean => accept.includes('text/html') || !/\.[^/]*$/.test(path);

/** For a long poll: the call ends when the page goes. */
function endOf(answer: ServerResponse): AbortSignal {
  const controller = new AbortController();
  answer.once('close', () => controller.abort());
  return controller.signal;
}

/**
 * The UI server's own settings, whose version decides how the page encodes ids in paths, plus the address of our codec server, if
 * any, as the page sees it.
 */
async function settings(files: Sources['files'], codecHost: string | undefined): Promise<object> {
  const own = JSON.parse((await files.read(SETTINGS))?.body.toString('utf8') ?? '{}') as object;
  return {
    ...own,
    DefaultNamespace: 'default',
    NotifyOnNewVersion: false,
    DisableNewsFetch: true,
    Codec: { Endpoint: codecHost === undefined ? '' : `http://${codecHost}${CODEC_PATH}` },
  };
}

/** Details and summaries of a workflow, which the page shows in frames without scripts. */
function sendMarkdown(answer: ServerResponse, query: URLSearchParams): void {
  const dark = (query.get('overrideTheme') ?? query.get('theme') ?? '').includes('dark');
  const [color, background] = dark ? ['#f8fafc', '#141414'] : ['#121416', '#fff'];
  const style = `body{margin:0;padding:1rem;font-family:sans-serif;white-space:pre-line;color:${color};background:${background}}th,td{padding:0 2rem 0 0;text-align:left}`;
  answer.setHeader(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox",
  );
  const body = marked.parse(query.get('content') ?? '', { async: false });
  send(
    answer,
    'text/html; charset=utf-8',
    `<!doctype html><meta charset="utf-8"><base target="_blank"><title>Details</title><style>${style}</style>${body}`,
  );
}

function sendJson(answer: ServerResponse, status: number, document: unknown): void {
  answer.statusCode = status;
  send(answer, 'application/json', JSON.stringify(document));
}

function send(answer: ServerResponse, type: string, body: string | Buffer): void {
  answer.setHeader('content-type', type);
  answer.setHeader('x-frame-options', 'SAMEORIGIN');
  answer.setHeader('x-content-type-options', 'nosniff');
  answer.end(body);
}

function refuse(answer: ServerResponse, status: number, why: string): void {
  answer.statusCode = status;
  send(answer, 'text/plain; charset=utf-8', `${why}\n`);
}
