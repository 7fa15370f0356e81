import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { isLoopback } from '../domain/loopback.ts';
import { ipList } from './webhooks/verifier.ts';

/** A proxy that opens connections to others (HTTP CONNECT, RFC 9110 section 9.3.6). */
export interface HttpProxy {
  /** `http://host:port` or `https://host:port`, without its name and password. */
  origin: string;
  /** Value of Proxy-Authorization; undefined: it asks for none. */
  authorization: string | undefined;
}

/** Throws an Error for what is not the address of an HTTP proxy; its text repeats nothing of the address. */
export function proxyAt(address: string): HttpProxy {
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^\/?$/.test(url.pathname + url.search + url.hash)) {
    throw new Error('is not the address of an HTTP proxy such as http://proxy.example.com:3128');
  }
  const { origin, username, password } = url;
  if (username === '') return { origin, authorization: undefined };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { origin, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * Whether a host is reached without a proxy: this machine, and what NO_PROXY lists, separated by commas or blanks: `*`, a host
 * with all below it (`example.com`, `.example.com`), an address or a CIDR range, each also with a port.
 */
export function isDirect({ hostname, port, protocol }: URL, noProxy: string): boolean {
  if (isLoopback(hostname)) return true;
  const [host, at] = [hostname.replace(/^\[|\]$/g, '').toLowerCase(), portOf(protocol, port)];
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', itsPort] =
        /^\[?(.*?)\]?(?::(\d+))?$/.exec(/:.*:/.test(entry) && !entry.startsWith('[') ? `[${entry}]` : entry) ?? [];
      if (itsPort !== undefined && itsPort !== at) return false;
      const domain = name.replace(/^\*?\./, '');
      return name === '*' || host === domain || host.endsWith(`.${domain}`) || isInRange(host, name);
    });
}

function isInRange(host: string, range: string): boolean {
  if (!range.includes('/')) return false;
  try {
    return ipList([range])(host);
  } catch {
    return false;
  }
}

const portOf = (protocol: string, port: string): string => port || (protocol === 'https:' ? '443' : '80');

/** A connector of undici that goes through a proxy: what is sent is the same, and begins only once the other side is reached. */
export function throughProxy(
  connect: buildConnector.connector,
  proxy: HttpProxy,
  connectMs: number,
): buildConnector.connector {
  return (options, callback) => {
    tunnel(proxy, `${options.hostname}:${portOf(options.protocol, options.port)}`, connectMs).then(
      (socket) => {
        if (options.protocol === 'https:') connect({ ...options, httpSocket: socket as never }, callback);
        else callback(null, socket as never);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** `fetch` through a proxy, for libraries that bring no client of their own. */
export function fetchThrough(proxy: HttpProxy): typeof fetch {
  const CONNECT_MS = 10_000;
  const client = import('undici').then(({ Agent, buildConnector, fetch: ours }) => {
    const connect = throughProxy(buildConnector({ timeout: CONNECT_MS, minVersion: 'TLSv1.2' }), proxy, CONNECT_MS);
    return { ours, dispatcher: new Agent({ connect }) };
  });
  return async (input, init) => {
    const { ours, dispatcher } = await client;
    const request = { ...init, dispatcher } as Parameters<typeof ours>[1];
    return (await ours(String(input), request)) as unknown as Response;
  };
}

/** A connection to `target` through the proxy; it has one of its own, which ends with it. */
async function tunnel({ origin, authorization }: HttpProxy, target: string, connectMs: number): Promise<Duplex> {
  // Loaded where it is needed: settings name a proxy in every command.
  const { buildConnector, Client } = await import('undici');
  const client = new Client(origin, { connect: buildConnector({ timeout: connectMs, minVersion: 'TLSv1.2' }) });
  const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
  try {
    const signal = AbortSignal.timeout(connectMs);
    const { statusCode, socket } = await client.connect({ path: target, headers, signal });
    socket.once('close', () => void client.destroy());
    if (statusCode === 200) return socket;
    socket.destroy();
    throw coded(`PROXY_REFUSED_${statusCode}`);
  } catch (error) {
    void client.destroy();
    throw error instanceof Error && 'code' in error && /^PROXY_/.test(`${error.code}`)
      ? error
      : coded('PROXY_UNREACHABLE', error);
  }
}

const coded = (code: string, cause?: unknown): Error => Object.assign(new Error(code, { cause }), { code });
