/** Plain HTTP calls of the banking interface, on purpose not our client: the contract is about bytes. */

export interface Envelope {
  code: number;
  msg: string;
  // biome-ignore lint/suspicious/noExplicitAny: the suite asserts the shapes it reads
  data?: any;
}

interface CallOptions {
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface BankCalls {
  readonly baseUrl: string;
  token: string;
  /** The envelope; throws when the answer is none. */
  call(method: string, path: string, options?: CallOptions): Promise<Envelope>;
  /** The answer as it came. */
  raw(method: string, path: string, options?: CallOptions): Promise<Response>;
}

/** Authenticates and returns calls that carry the token. */
export async function bankCalls(baseUrl: string, apiKey: string, apiSecret: string): Promise<BankCalls> {
  const calls: BankCalls = {
    baseUrl,
    token: '',
    raw: (method, path, { query = {}, body, headers = {} } = {}) => {
      const url = new URL(baseUrl + path);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return fetch(url, {
        method,
        headers: { 'content-type': 'application/json', authorization: calls.token, ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    },
    call: async (method, path, options) => {
      const response = await calls.raw(method, path, options);
      const envelope = (await response.json()) as Envelope;
      if (typeof envelope.code !== 'number') throw new Error(`${method} ${path}: HTTP ${response.status}, no envelope`);
      return envelope;
    },
  };
  const granted = await calls.call('POST', '/v1/auth', { body: { api_key: apiKey, api_secret: apiSecret } });
  calls.token = granted.data.access_token;
  return calls;
}
