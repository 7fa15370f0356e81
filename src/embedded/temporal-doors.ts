import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { freePort } from './ports.ts';

/**
 * The HTTP ports of the Temporal CLI's dev server. It answers every Host and every Origin there, so a web page that is
 * open on this machine could read and signal workflows. Both are closed to all but our own proxy (`web-ui.ts`).
 */
export interface TemporalDoors {
  /** Files of the Web UI. */
  uiPort: number;
  /** HTTP API of the frontend. */
  apiPort: number;
  /** The only Host that the HTTP API answers; new at every boot, and no page can send it. */
  apiHost: string;
}

/**
 * Public path of the UI server. It rewrites `PATH/*` to `/*` with `*` for any text: every path that holds `/api` and
 * another slash behind it loses both, and no request reaches the API that the UI server has of its own.
 */
export const SEALED_UI_PATH = '/api*';

/** Where that leaves the route that renders Markdown: any path of one part that begins so, without a slash behind it. */
export const RENDER_PATH = '/apirender';

const HOST = '127.0.0.1';
const ANSWER_MS = 5_000;

export async function chooseDoors(taken: readonly number[]): Promise<TemporalDoors> {
  const uiPort = await freePort(taken);
  const apiPort = await freePort([...taken, uiPort]);
  return { uiPort, apiPort, apiHost: `${randomUUID()}.invalid` };
}

/** Flags of `temporal server start-dev`. */
export const doorArguments = ({ uiPort, apiPort, apiHost }: TemporalDoors): string[] => [
  ...['--ui-port', `${uiPort}`, '--ui-public-path', SEALED_UI_PATH, '--http-port', `${apiPort}`],
  ...['--dynamic-config-value', `frontend.httpAllowedHosts=${JSON.stringify([apiHost])}`],
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
