import { hash } from 'node:crypto';
import type { createRemoteJWKSet } from 'jose';
import type {
  ClientAuth,
  Configuration,
  CustomFetch,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import { fetchThrough, type HttpProxy } from '../bank/proxy.ts';
import { type Claims, neededClaims, type SignIn, type SignOut, signOutOfClaims } from '../domain/sign-in.ts';
import { ConfigError } from './config/key.ts';
import type { OpenIdSettings } from './config/sign-in.ts';

/** Who somebody is by the word of an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */

/** What a sign-in began with; only the browser that began it can end it. */
export interface BegunSignIn {
  state: string;
  nonce: string;
  /** Of PKCE (RFC 7636). */
  verifier: string;
}

/** What the provider says of somebody, and by which it can be asked again. */
export interface Vouched {
  claims: Claims;
  subject: string;
  signIn: SignIn;
  idToken: string;
  /** Undefined: it gave none, and cannot be asked again. */
  refreshToken: string | undefined;
  /** Where one signs out at the provider; undefined: it offers no such place. */
  signOutUrl: string | undefined;
}

/** The provider's answer says nothing of who somebody is. Its message is the end of a sentence, without anything of a token. */
export class NotVouched extends Error {}

/** Loaded when needed: it would slow down the start of every gateway. */
const library = () => import('openid-client');

const TIMEOUT_S = 10;
/** How far the clocks of two machines may differ. */
const CLOCK_S = 60;
/** Where a sign-in begins nothing is verified yet; where it ends, the provider is always read anew. */
const METADATA_MS = 60_000;
/** A logout token is not older (Back-Channel Logout 1.0, section 2.4). */
const NOTICE_S = 120;
/** Between two reads of the keys for logout tokens, which anybody can send. */
const KEYS_PAUSE_MS = 1_000;

export class OpenIdProvider {
  readonly settings: OpenIdSettings;
  readonly #redirectUri: string;
  readonly #homeUri: string;
  readonly #fetch: typeof fetch | undefined;
  #read: { config: Configuration; at: number } | undefined;
  #keys: { uri: string; find: ReturnType<typeof createRemoteJWKSet> } | undefined;

  /** `origin`: of the pages, to which the provider leads back. */
  constructor(settings: OpenIdSettings, origin: string, proxy?: HttpProxy) {
    this.settings = settings;
    this.#redirectUri = `${origin}${CALLBACK_PATH}`;
    this.#homeUri = `${origin}${SIGN_IN_PATH}`;
    this.#fetch = proxy && fetchThrough(proxy);
  }

  /** For people. */
  get host(): string {
    return new URL(this.settings.issuer).host;
  }

  /** Where to send a browser. */
  async begin(): Promise<{ url: string; begun: BegunSignIn }> {
    const client = await library();
    const config = await this.#discover(METADATA_MS);
    const verifier = client.randomPKCECodeVerifier();
    const begun = { state: client.randomState(), nonce: client.randomNonce(), verifier };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scopes,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, begun };
  }

  /**
   * `search`: the query with which the provider led back. Throws a `NotVouched`, or what kept the provider from answering
   * (`causeInWords`, side `sign-in`).
   */
  async complete(search: string, { state, nonce, verifier }: BegunSignIn): Promise<Vouched> {
    const client = await library();
    const config = await this.#discover();
    const back = new URL(search, this.#redirectUri);
    const tokens = await client
      .authorizationCodeGrant(config, back, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      .catch(inOurWords);
    return this.#vouched(config, tokens);
  }

  /** The same anew, by the refresh token. */
  async renew(known: Vouched): Promise<Vouched> {
    const client = await library();
    const config = await this.#discover();
    const tokens = await client.refreshTokenGrant(config, known.refreshToken ?? '').catch(inOurWords);
    const renewed = await this.#vouched(config, tokens, known);
    if (renewed.subject !== known.subject) throw new NotVouched('the provider answered for somebody else');
    return renewed;
  }

  /**
   * Which sign-ins a logout token of the provider ends (OpenID Connect Back-Channel Logout 1.0). Throws a `NotVouched` for what is
   * none, or what kept the provider from answering.
   */
  async signOutOf(token: string, now: number): Promise<SignOut> {
    const { jwtVerify } = await import('jose');
    const config = await this.#discover(METADATA_MS);
    const { issuer, id_token_signing_alg_values_supported: algorithms = ['RS256'] } = config.serverMetadata();
    const { payload } = await jwtVerify(token, await this.#keysOf(config), {
      issuer,
      audience: this.settings.clientId,
      algorithms: [...algorithms],
      requiredClaims: ['exp', 'iat', 'jti', 'events'],
      maxTokenAge: NOTICE_S,
      clockTolerance: CLOCK_S,
      currentDate: new Date(now),
    }).catch(inOurWords);
    const signOut = signOutOfClaims(payload);
    if ('refused' in signOut) throw new NotVouched(signOut.refused);
    const { id, subject, sid } = signOut;
    const hashed = (value: string | null) => value && this.#hashed(value);
    return { ...signOut, id: this.#hashed(id), subject: hashed(subject), sid: hashed(sid) };
  }

  /** Of a subject, a session or a notice of this provider. */
  #hashed(value: string): string {
    return hash('sha256', JSON.stringify([this.settings.issuer, value]));
  }

  /** With a pause between two reads, however many tokens name keys that are not among them. */
  async #keysOf(config: Configuration) {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const { jwks_uri: uri = '' } = config.serverMetadata();
    if (this.#keys?.uri !== uri) {
      const find = createRemoteJWKSet(new URL(uri), {
        timeoutDuration: TIMEOUT_S * 1_000,
        cooldownDuration: KEYS_PAUSE_MS,
        cacheMaxAge: METADATA_MS,
        ...(this.#fetch !== undefined && { [customFetch]: this.#fetch }),
      });
      this.#keys = { uri, find };
    }
    return this.#keys.find;
  }

  /** What it offers. Throws what keeps it from answering. */
  async check(): Promise<{ keys: number; signsOut: boolean; notifies: boolean }> {
    const config = await this.#discover();
    const { jwks_uri: uri = '', end_session_endpoint: signOut, ...more } = config.serverMetadata();
    const answer = await (this.#fetch ?? fetch)(uri, { signal: AbortSignal.timeout(TIMEOUT_S * 1_000) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const { keys } = (await answer.json()) as { keys?: unknown[] };
    const notifies = more.backchannel_logout_supported === true;
    return { keys: keys?.length ?? 0, signsOut: signOut !== undefined, notifies };
  }

  /** Metadata not older than `maxAgeMs`. With them the library forgets the keys: those that sign now are always read. */
  async #discover(maxAgeMs = 0): Promise<Configuration> {
    const now = performance.now();
    if (this.#read !== undefined && now - this.#read.at < maxAgeMs) return this.#read.config;
    const { allowInsecureRequests, clockTolerance, customFetch, discovery, enableNonRepudiationChecks } =
      await library();
    const { issuer, clientId, clientSecret } = this.settings;
    const config = await discovery(
      new URL(issuer),
      clientId,
      { [clockTolerance]: CLOCK_S },
      await clientAuth(clientSecret?.reveal()),
      {
        timeout: TIMEOUT_S,
        // Without it, the signature of an ID token is not verified where it comes over TLS.
        execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
        ...(this.#fetch !== undefined && { [customFetch]: this.#fetch as CustomFetch }),
      },
    ).catch(inOurWords);
    // The library makes exceptions for issuers that stand for many customers of one provider.
    if (new URL(config.serverMetadata().issuer).href !== new URL(issuer).href) throw anotherIssuer();
    this.#read = { config, at: now };
    return config;
  }

  /** Of claims that the ID token lacks, the UserInfo endpoint has the rest (OpenID Connect Core 1.0, section 5.4). */
  async #vouched(
    config: Configuration,
    tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
    known?: Vouched,
  ): Promise<Vouched> {
    const { buildEndSessionUrl, fetchUserInfo } = await library();
    const { userinfo_endpoint: userInfo, end_session_endpoint: signOut } = config.serverMetadata();
    const shown = tokens.claims();
    const subject = shown?.sub ?? known?.subject;
    if (subject === undefined) throw new NotVouched('the provider answered without a token');
    const lacks = shown === undefined || neededClaims(this.settings).some((name) => shown[name] === undefined);
    const more =
      lacks && userInfo !== undefined
        ? await fetchUserInfo(config, tokens.access_token, subject).catch(inOurWords)
        : undefined;
    const idToken = tokens.id_token ?? known?.idToken ?? '';
    const signIn = known?.signIn ?? {
      subject: this.#hashed(subject),
      sid: typeof shown?.sid === 'string' ? this.#hashed(shown.sid) : null,
      issuedAt: (shown?.iat ?? 0) * 1_000,
    };
    const leaving = { id_token_hint: idToken, post_logout_redirect_uri: this.#homeUri };
    return {
      claims: { ...more, ...shown },
      subject,
      signIn,
      idToken,
      refreshToken: tokens.refresh_token ?? known?.refreshToken,
      signOutUrl: signOut === undefined ? undefined : buildEndSessionUrl(config, leaving).href,
    };
  }
}

export const SIGN_IN_PATH = '/sign-in';
export const CALLBACK_PATH = '/sign-in/callback';
export const BACK_CHANNEL_PATH = '/sign-in/back-channel-logout';

const anotherIssuer = (): ConfigError =>
  new ConfigError(
    'PAYOUTS_OIDC_ISSUER',
    'is not what the provider there calls itself',
    'Set it to "issuer" of its /.well-known/openid-configuration; one that stands for all customers of a provider is refused.',
  );

/** With the secret in the header, unless the provider takes it in the body only. */
async function clientAuth(secret: string | undefined): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await library();
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Answers that are there, and prove nothing. */
const UNPROVEN: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: 'the answer of the provider could not be verified',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'the token of the provider has expired, or is not valid yet',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'the token of the provider is not for this sign-in',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'the provider answered for somebody else',
  OAUTH_KEY_SELECTION_FAILED: 'the token of the provider has a key that is not one of its own',
  OAUTH_UNSUPPORTED_OPERATION: 'the token of the provider is signed in a way that does not count',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token of the provider is signed in a way that does not count',
  ERR_JOSE_NOT_SUPPORTED: 'the token of the provider is signed in a way that does not count',
  ERR_JWKS_NO_MATCHING_KEY: 'the token of the provider has a key that is not one of its own',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token of the provider does not say which key it has',
  ERR_JWS_INVALID: 'the token of the provider cannot be read',
  ERR_JWT_INVALID: 'the token of the provider cannot be read',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the token of the provider could not be verified',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'the token of the provider is not for us, or lacks a claim',
  ERR_JWT_EXPIRED: 'the token of the provider has expired, or is not valid yet',
};

/** Of metadata, keys and other answers of the provider. */
const UNREADABLE = ['OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

interface LibraryError {
  code?: string;
  /** As RFC 6749 has it, or the provider has made it up. */
  error?: string;
  status?: number;
  cause?: { status?: number; body?: { issuer?: unknown }; claim?: unknown; cause?: { claim?: unknown } };
}

/** Of the client and its secret: RFC 6749, section 5.2, has the first, and Keycloak answers a wrong secret with the second. */
const KEY_ERRORS = ['invalid_client', 'unauthorized_client'];

/** Nothing of a token or a claim is kept: what is thrown here is logged and shown. */
function inOurWords(thrown: unknown): never {
  const { code = '', error = '', status = 500, cause } = thrown as LibraryError;
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' && cause?.body?.issuer !== undefined) {
    throw anotherIssuer();
  }
  const why = UNPROVEN[code];
  if (why !== undefined) throw new NotVouched(why);
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') throw new Error('refused the key');
  const named = /^[\w-]{1,40}$/.test(error) ? error : 'without a reason';
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') throw new NotVouched(`the provider refused (${named})`);
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') {
    if (KEY_ERRORS.includes(error)) throw new Error('refused the key');
    if (error === 'invalid_grant') throw new NotVouched('the provider no longer knows this sign-in');
    // Dex answers `invalid_request` for a code or a refresh token that it does not know.
    if (status === 400) throw new NotVouched(`the provider refused (${named})`);
    throw new Error(`HTTP ${status} (${named})`);
  }
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') throw new Error(`HTTP ${cause?.status}`);
  if (UNREADABLE.includes(code)) throw new Error('not JSON');
  throw thrown;
}
