import { randomInt, randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { bindable, freePort } from './ports.ts';

/**
 * The HTTP ports of the dev server that it always has, and of which nothing of ours is used. They are on ports that browsers do not
 * connect to, since both answer pages of other sites: a page could otherwise give its own name this machine's address.
 */
export interface HttpPorts {
  /**
   * HTTP API. It compares Host with the allowed ones, but answers to any Host on the routes of Nexus, which servers from 1.32 on
   * always have: nobody serves Nexus operations here, so that they lead nowhere.
   */
  api: number;
  /** Metrics: numbers of calls by namespace, task queue and workflow type. */
  metrics: number;
}

const HOST = '127.0.0.1';
const ANSWER_MS = 5_000;

/** Unprivileged ports that no browser connects to (Fetch standard, "port blocking"). */
export const BLOCKED_BY_BROWSERS: readonly number[] = [
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697],
  10080,
];

export async function chooseHttpPorts(taken: readonly number[]): Promise<HttpPorts> {
  const api = await blockedPort(taken);
  return { api, metrics: await blockedPort([...taken, api]) };
}

/**
 * One that browsers do not connect to, else any free one, on 127.0.0.1. Begins anywhere in the list: of two stacks that start at
 * the same time, the second would find the first free one taken.
 */
async function blockedPort(taken: readonly number[]): Promise<number> {
  const first = randomInt(BLOCKED_BY_BROWSERS.length);
  for (const port of [...BLOCKED_BY_BROWSERS.slice(first), ...BLOCKED_BY_BROWSERS.slice(0, first)]) {
    if (!taken.includes(port) && (await bindable(port)) !== undefined) return port;
  }
  return freePort(taken);
}

export const httpPortFlags = ({ api, metrics }: HttpPorts): string[] => [
  ...['--http-port', `${api}`, '--metrics-port', `${metrics}`],
  // The only Host that the API accepts; nobody is told it.
  ...['--dynamic-config-value', `frontend.httpAllowedHosts=${JSON.stringify([`${randomUUID()}.invalid`])}`],
  // Closes the routes of Nexus of servers before 1.32.
  ...['--dynamic-config-value', 'system.enableNexus=false'],
];

/** Whether the API really keeps web pages out: another version of the CLI may treat the flags differently. */
export async function webPagesAreKeptOut({ api: port }: HttpPorts): Promise<boolean> {
  const headers = { host: 'page.invalid', origin: 'http://page.invalid' };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { host: HOST, port, path: '/api/v1/namespaces', headers, agent: false, timeout: ANSWER_MS };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('error', reject).once('timeout', () => request.destroy(new Error('no answer')));
  });
  return status === 403;
}
