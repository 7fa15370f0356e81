import type {
  ClientAuth,
  Configuration,
  CustomFetch,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import { fetchThrough, type HttpProxy } from '../bank/proxy.ts';
import { type Claims, neededClaims } from '../domain/sign-in.ts';
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

export class OpenIdProvider {
  readonly settings: OpenIdSettings;
  readonly #redirectUri: string;
  readonly #homeUri: string;
  readonly #fetch: typeof fetch | undefined;
  #read: { config: Configuration; at: number } | undefined;

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

  /** What it offers. Throws what keeps it from answering. */
  async check(): Promise<{ keys: number; signsOut: boolean }> {
    const config = await this.#discover();
    const { jwks_uri: uri = '', end_session_endpoint: signOut } = config.serverMetadata();
    const answer = await (this.#fetch ?? fetch)(uri, { signal: AbortSignal.timeout(TIMEOUT_S * 1_000) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const { keys } = (await answer.json()) as { keys?: unknown[] };
    return { keys: keys?.length ?? 0, signsOut: signOut !== undefined };
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
    const leaving = { id_token_hint: idToken, post_logout_redirect_uri: this.#homeUri };
    return {
      claims: { ...more, ...shown },
      subject,
      idToken,
      refreshToken: tokens.refresh_token ?? known?.refreshToken,
      signOutUrl: signOut === undefined ? undefined : buildEndSessionUrl(config, leaving).href,
    };
  }
}

export const SIGN_IN_PATH = '/sign-in';
export const CALLBACK_PATH = '/sign-in/callback';

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
};

interface LibraryError {
  code?: string;
  /** As RFC 6749 has it. */
  error?: string;
  cause?: { status?: number; body?: { issuer?: unknown }; claim?: unknown; cause?: { claim?: unknown } };
}

/** Nothing of a token or a claim is kept: what is thrown here is logged and shown. */
function inOurWords(thrown: unknown): never {
  const { code = '', error = '', cause } = thrown as LibraryError;
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' && cause?.body?.issuer !== undefined) {
    throw anotherIssuer();
  }
  const why = UNPROVEN[code];
  if (why !== undefined) throw new NotVouched(why);
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' || error === 'invalid_client') throw new Error('refused the key');
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' && error === 'invalid_grant') {
    throw new NotVouched('the provider no longer knows this sign-in');
  }
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    throw new NotVouched(`the provider refused (${/^[\w-]{1,40}$/.test(error) ? error : 'without a reason'})`);
  }
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') throw new Error(`HTTP ${cause?.status}`);
  if (code === 'OAUTH_RESPONSE_IS_NOT_JSON' || code === 'OAUTH_PARSE_ERROR') throw new Error('not JSON');
  if (code === 'OAUTH_RESPONSE_BODY_ERROR')
    throw new Error(`HTTP 500 (${/^\w{1,40}$/.exec(error)?.[0] ?? 'no reason'})`);
  throw thrown;
}
