import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { freePort } from './ports.ts';

/**
 * The HTTP ports of the Temporal CLI's dev server. It answers every Host and Origin there, so a web page that is open on
 * this machine could read and signal workflows. Nobody uses its HTTP API; the UI server is left to our own proxy (`web-ui.ts`).
 */
export interface TemporalDoors {
  /** UI server: files of the Web UI, and an API of its own. */
  uiPort: number;
  /** HTTP API of the frontend, which cannot name a workflow whose id holds a slash. */
  apiPort: number;
}

/**
 * Public path of the UI server, which makes a pattern of it: a request target that begins with `/api` and has another slash
 * loses both, and does not reach the API. A target that is a whole address is compared without what precedes its path,
 * but only when its scheme is in small letters: `apiTarget` is what the pattern does not see. No browser writes it: it
 * sends whole addresses to forward proxies alone (RFC 9112, 3.2.2), and schemes in small letters (URL standard).
 */
export const SEALED_UI_PATH = '^/api*';

/** The request target that reaches the UI server's API; `path` begins with `/api/`. */
export const apiTarget = ({ uiPort }: TemporalDoors, path: string): string => `HTTP://${HOST}:${uiPort}${path}`;

/** Where the public path leaves the route that renders Markdown: any path that begins so. */
export const RENDER_PATH = '/^/apirender';

const HOST = '127.0.0.1';
const ANSWER_MS = 5_000;

export async function chooseDoors(taken: readonly number[]): Promise<TemporalDoors> {
  const uiPort = await freePort(taken);
  return { uiPort, apiPort: await freePort([...taken, uiPort]) };
}

/** Flags of `temporal server start-dev`. */
export const doorArguments = ({ uiPort, apiPort }: TemporalDoors): string[] => [
  ...['--ui-port', `${uiPort}`, '--ui-public-path', SEALED_UI_PATH, '--http-port', `${apiPort}`],
  // The only Host that the HTTP API answers: told to nobody.
  ...['--dynamic-config-value', `frontend.httpAllowedHosts=${JSON.stringify([`${randomUUID()}.invalid`])}`],
  // Its routes are on the port of the HTTP API and look at no Host.
  ...['--dynamic-config-value', 'system.enableNexus=false'],
];

/** Whether no page reaches workflows there: another version of the CLI may read the flags in another way. */
export async function doorsAreClosed({ uiPort, apiPort }: TemporalDoors): Promise<boolean> {
  const path = '/api/v1/namespaces';
  const [ui, api] = await Promise.all([answerTo(uiPort, path), answerTo(apiPort, path)]);
  return api.status === 403 && !ui.type.includes('json');
}

async function answerTo(port: number, path: string): Promise<{ status: number; type: string }> {
  const headers = { host: 'page.invalid', origin: 'http://page.invalid' };
  return new Promise((resolve, reject) => {
    const request = get({ host: HOST, port, path, headers, agent: false, timeout: ANSWER_MS }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '' });
    });
    request.once('error', reject).once('timeout', () => request.destroy(new Error('no answer')));
  });
}
