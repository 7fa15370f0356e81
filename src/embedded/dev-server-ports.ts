import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { freePort } from './ports.ts';

/**
 * The HTTP ports of the Temporal CLI's dev server. They answer any Host and Origin, so a web page open on this machine could read
 * and signal workflows. Nothing uses its HTTP API; the UI server is reached only through our proxy (`web-ui.ts`).
 */
export interface DevServerPorts {
  /** UI server: files of the Web UI, and its own API. */
  uiPort: number;
  /** HTTP API of the frontend. It cannot address a workflow whose id contains a slash. */
  apiPort: number;
}

/**
 * Public path of the UI server, which uses it as a pattern: a request target that begins with `/api` and has another slash loses
 * both, and does not reach the API. A target in absolute form is matched without what precedes its path, but only if its scheme
 * is in lower case: `apiTarget` is what the pattern misses. No browser can send it: browsers use absolute form only to forward
 * proxies (RFC 9112, 3.2.2), with the scheme in lower case (URL standard).
 */
export const SEALED_UI_PATH = '^/api*';

/** The request target that reaches the UI server's API; `path` begins with `/api/`. */
export const apiTarget = ({ uiPort }: DevServerPorts, path: string): string => `HTTP://${HOST}:${uiPort}${path}`;

/** Where the UI server's Markdown route ends up under the public path: any path with this prefix. */
export const RENDER_PATH = '/^/apirender';

const HOST = '127.0.0.1';
const ANSWER_MS = 5_000;

export async function chooseDevServerPorts(taken: readonly number[]): Promise<DevServerPorts> {
  const uiPort = await freePort(taken);
  return { uiPort, apiPort: await freePort([...taken, uiPort]) };
}

export const devServerPortFlags = ({ uiPort, apiPort }: DevServerPorts): string[] => [
  ...['--ui-port', `${uiPort}`, '--ui-public-path', SEALED_UI_PATH, '--http-port', `${apiPort}`],
  // The only Host that the HTTP API accepts; nobody is told it.
  ...['--dynamic-config-value', `frontend.httpAllowedHosts=${JSON.stringify([`${randomUUID()}.invalid`])}`],
  // Nexus routes are on the port of the HTTP API and do not check Host.
  ...['--dynamic-config-value', 'system.enableNexus=false'],
];

/** Whether web pages are really kept out: another version of the CLI may treat the flags differently. */
export async function webPagesAreKeptOut({ uiPort, apiPort }: DevServerPorts): Promise<boolean> {
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
