import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { Provider } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { ownPort } from '../../support/own-port.ts';
import { type Seen, Visit } from './visiting.ts';

/** A signed-in account at the provider. */
interface Account {
  email?: string;
  email_verified?: boolean;
  roles?: string[];
  groups?: string[];
}

/** A real OpenID Connect provider on this machine. */
export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** By subject; one that is removed is disabled. */
  accounts: Map<string, Account>;
  /** What it puts into ID tokens instead of the truth, signed as always. */
  lie: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Signs ID tokens with this key instead of one of its own. */
  forgeWith: SigningKey | undefined;
  /** What it answers whoever asks for a token, as other providers do. */
  refusal: { status: number; error: string } | undefined;
  /** Requests that it was sent, as `GET /path`. */
  requests: string[];
  /** A logout token of its own about an account, made now, with other claims instead or none (undefined). */
  logoutToken(sub: string, claims?: Record<string, unknown>, by?: SigningKey): string;
  /** From now on it signs with a new key, and the old one is gone. */
  rotate(): void;
  /** While it is down, connections are refused. */
  down(): Promise<void>;
  up(): Promise<void>;
}

interface SigningKey {
  jwk: Record<string, unknown> & { kid: string };
}

let made = 0;

export function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  made += 1;
  return { jwk: { ...privateKey.export({ format: 'jwk' }), kid: `key-${made}`, use: 'sig', alg: 'RS256' } };
}

/** Its login asks for an account and nothing else; who is known by its cookie is not asked. */
export async function openProvider(
  redirect: { origin: string },
  options: { refreshes?: boolean; host?: string; namesSessions?: boolean } = {},
): Promise<TestProvider> {
  const { refreshes = true, host = 'localhost', namesSessions = true } = options;
  const port = await ownPort();
  const issuer = `http://${host}:${port}`;
  let key = newSigningKey();
  let answer: RequestListener = () => {};
  const it: TestProvider = {
    issuer,
    clientId: 'payouts-pages',
    clientSecret: 'a-secret-of-the-pages-at-the-provider',
    accounts: new Map(),
    lie: undefined,
    forgeWith: undefined,
    refusal: undefined,
    requests: [],
    logoutToken(sub, claims, by = key) {
      const now = Math.floor(Date.now() / 1_000);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const notice = { iss: issuer, aud: it.clientId, sub, iat: now, exp: now + 120, jti: randomUUID(), events };
      const head = encoded({ alg: 'RS256', typ: 'logout+jwt', kid: by.jwk.kid });
      return signedBy(by, `${head}.${encoded({ ...notice, ...claims })}`);
    },
    rotate() {
      key = newSigningKey();
      answer = serve(it, { key, redirect, refreshes, namesSessions });
    },
    down: () => new Promise((done) => server.close(() => done()).closeAllConnections()),
    up: () => new Promise((done) => server.listen(port, host, done)),
  };
  answer = serve(it, { key, redirect, refreshes, namesSessions });
  const server = createServer((request, response) => {
    it.requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    // A kept connection would break when it is taken down, instead of being refused.
    response.shouldKeepAlive = false;
    answer(request, response);
  });
  await it.up();
  onTestFinished(async () => {
    if (server.listening) await it.down();
  });
  return it;
}

interface Served {
  key: SigningKey;
  redirect: { origin: string };
  refreshes: boolean;
  namesSessions: boolean;
}

function serve(it: TestProvider, { key, redirect, refreshes, namesSessions }: Served): RequestListener {
  const { issuer, clientId, clientSecret } = it;
  const provider = new Provider(issuer, {
    jwks: { keys: [key.jwk] },
    cookies: { keys: ['a-key-of-the-cookies-of-the-provider'] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${redirect.origin}/sign-in/callback`],
        post_logout_redirect_uris: [`${redirect.origin}/sign-in`],
        backchannel_logout_uri: `${redirect.origin}/sign-in/back-channel-logout`,
        backchannel_logout_session_required: namesSessions,
        grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], roles: ['roles'], groups: ['groups'] },
    scopes: ['openid', 'offline_access'],
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        // Its own page loads a font from the internet.
        logoutSource: async (context, form) => {
          context.type = 'html';
          context.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
        },
      },
    },
    // Its own refuses to notify anybody on this machine.
    fetch: (url, init) => fetch(url, { ...init, dispatcher: undefined } as RequestInit),
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    issueRefreshToken: async () => refreshes,
    findAccount: (_context, sub) => {
      const account = it.accounts.get(sub);
      return account && { accountId: sub, claims: async () => ({ sub, ...account }) };
    },
    // Consent is the company's, not asked of its people.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope('openid email roles groups');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, IdToken: 600, Grant: 36_000, Interaction: 600, RefreshToken: 36_000, Session: 36_000 },
  });
  provider.use(async (context, next) => {
    const [, uid] = /^\/login\/([\w-]+)$/.exec(context.path) ?? [];
    if (uid === undefined) {
      await next();
      if (context.path === '/token' && it.refusal !== undefined) {
        const { status, error } = it.refusal;
        Object.assign(context, { status, body: { error } });
        return;
      }
      const tokens = context.body as { id_token?: string } | undefined;
      if (context.path === '/token' && tokens?.id_token !== undefined) {
        tokens.id_token = issued(tokens.id_token, it, key);
      }
      return;
    }
    const accountId = context.URL.searchParams.get('account');
    if (accountId === null) {
      context.type = 'html';
      context.body = `<form action="${context.path}"><label>Account <input name="account"></label><button>Log in</button></form>`;
      return;
    }
    await provider.interactionFinished(context.req, context.res, { login: { accountId } });
    context.respond = false;
  });
  return provider.callback();
}

function issued(idToken: string, { lie, forgeWith }: TestProvider, own: SigningKey): string {
  if (lie === undefined && forgeWith === undefined) return idToken;
  const [head = '', body = ''] = idToken.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  return signedBy(forgeWith ?? own, `${head}.${encoded(lie?.(claims) ?? claims)}`);
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function signedBy({ jwk }: SigningKey, text: string): string {
  const signature = sign('RSA-SHA256', Buffer.from(text), createPrivateKey({ key: jwk, format: 'jwk' }));
  return `${text}.${signature.toString('base64url')}`;
}

/** A browser with which somebody signs in to the pages through the provider. */
export class ProviderVisit {
  readonly pages: Visit;
  readonly provider: Visit;
  readonly #issuer: string;

  constructor(origin: string, { issuer }: Pick<TestProvider, 'issuer'>) {
    this.pages = new Visit(origin);
    this.provider = new Visit(issuer);
    this.#issuer = issuer;
  }

  /** Where the provider leads back to, with its answer. */
  async logIn(account: string, next?: string): Promise<string> {
    const begun = await this.pages.send(
      `/sign-in/provider${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`,
    );
    let to = `${begun.headers.location}`;
    while (to.startsWith(this.#issuer)) {
      const { headers, status, text } = await this.provider.send(to);
      const [, form] = /<form action="([^"]+)">/.exec(text) ?? [];
      if (form !== undefined) to = `${this.#issuer}${form}?account=${account}`;
      else if (headers.location === undefined) throw new Error(`HTTP ${status}: ${text}`);
      else to = new URL(`${headers.location}`, to).href;
    }
    return to;
  }

  async signIn(account: string, next?: string): Promise<Seen> {
    return this.pages.send(await this.logIn(account, next));
  }

  /** Signs out at the provider, where it asks for a confirmation. */
  async leave(to = `${this.#issuer}/session/end`): Promise<Seen> {
    const { text } = await this.provider.send(to);
    const [, action = ''] = /action="([^"]+)"/.exec(text) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(text) ?? [];
    return this.provider.send(action, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  }
}
