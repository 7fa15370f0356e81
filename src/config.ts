import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ClientConnectConfig, loadClientConnectConfig } from '@temporalio/envconfig';
import { type CardsConfig, cardsOf, type WebhookConfig, webhookOf } from './config/cards.ts';
import { assertPostgresSealed, assertTemporalSealed } from './config/clear-text.ts';
import { ConfigError } from './config/config-error.ts';
import { type GatewayConfig, gatewayConfigOf } from './config/gateway.ts';
import type { GatewayToken } from './config/gateway-tokens.ts';
import { CONFIG_KEYS, type KeyName, type KeyValues, keyOf } from './config/keys.ts';
import { hostOf, isLoopback } from './config/loopback.ts';
import { Secret } from './config/secret.ts';
import { settingsOf } from './config/settings.ts';
import type { WorkerSettings } from './services/deps.ts';

/** The only reader of the process environment. */

type Environment = Readonly<Record<string, string | undefined>>;

const SANDBOX_KEY = 'sandbox-key';
const SANDBOX_SECRET = 'sandbox-secret';

/** How a token is asked for: the parts of interface section 5 that are not shown. */
export interface BankAuth {
  method: 'POST' | 'GET';
  /** JSON template with `{key}` and `{secret}`. */
  body: string;
  tokenField: string | undefined;
  prefix: string;
}

export type BankConfig = { key: Secret; secret: Secret; auth: BankAuth; authBeforeExecution: boolean } & (
  | { kind: 'sandbox' }
  | { kind: 'remote'; url: string }
);

export type TemporalConfig =
  | { kind: 'embedded'; namespace: string }
  /** `connect` may hold an API key and client certificates. */
  | { kind: 'cluster'; namespace: string; address: string; connect: Secret<ClientConnectConfig['connectionOptions']> };

export interface Config {
  /** Absolute path. */
  home: string;
  /** `file:` with an absolute path, or `postgres://`, which can hold a password. */
  storeUrl: Secret;
  bank: BankConfig;
  temporal: TemporalConfig;
  /** The store whose namespace this one takes. */
  replacesStore: string | undefined;
  /** What looking for a Temporal CLI needs. */
  cliSearch: Readonly<Record<'TEMPORAL_CLI_PATH' | 'PATH' | 'XDG_CACHE_HOME' | 'HOME', string | undefined>>;
  /** Address of the Temporal Web UI in links, where it is not the embedded server's. */
  uiUrl: string | undefined;
  /** What payouts and workers obey. */
  settings: WorkerSettings;
  /** What commands sign decisions with. */
  signingKey: Secret<string | undefined>;
  /** Of the files that drop folders take, where a policy is set. */
  folderMaker: string | undefined;
  /** Bank or cluster are on another machine, and nobody has said who may move money there: nothing is sent. */
  lacksPolicy: boolean;
  lookAlikeDays: number;
  /** Paths of the files that complete bank messages. */
  messageMapping: string | undefined;
  payeeDirectory: string | undefined;
  cards: CardsConfig;
  webhook: WebhookConfig;
  /** Empty: the gateway answers this machine only. */
  gatewayTokens: Secret<readonly GatewayToken[]>;
  /** Requests a minute that a caller of the gateway has. */
  gatewayPerMinute: number;
  gateway: GatewayConfig;
  audit: AuditConfig;
  logLevel: KeyValues['PAYOUTS_LOG_LEVEL'];
}

export interface AuditConfig {
  /** Signs checkpoints; undefined: the one in the home. */
  key: Secret<KeyObject> | undefined;
  /** Absolute path of the file that checkpoints are appended to. */
  checkpoints: string | undefined;
}

/** Reads and checks every setting. Throws a `ConfigError` for the first one that cannot be used. */
export function loadConfig(env: Environment = process.env): Config {
  const values = readKeys(env);
  const home = resolve(values.PAYOUTS_HOME);
  if (values.PAYOUTS_CODEC_KEYS !== undefined) {
    // Better no start than clear payloads where somebody asked for encrypted ones.
    throw new ConfigError('PAYOUTS_CODEC_KEYS', 'is set, but this version encrypts no payloads yet', 'Unset it.');
  }
  const storeUrl = values.PAYOUTS_STORE_URL ? resolved(values.PAYOUTS_STORE_URL) : `file:${join(home, 'store.sqlite')}`;
  const bank = bankOf(values);
  const temporal = temporalOf(env, values);
  if (!storeUrl.startsWith('file:')) assertPostgresSealed(storeUrl, values, env);
  assertOneWorld({ values, storeUrl, bank, temporal });
  return {
    home,
    storeUrl: new Secret(storeUrl),
    bank,
    temporal,
    replacesStore: values.PAYOUTS_REPLACES_STORE,
    cliSearch: {
      TEMPORAL_CLI_PATH: env.TEMPORAL_CLI_PATH,
      PATH: env.PATH,
      XDG_CACHE_HOME: env.XDG_CACHE_HOME,
      HOME: env.HOME,
    },
    uiUrl: values.PAYOUTS_UI_URL,
    settings: settingsOf(values),
    signingKey: new Secret(values.PAYOUTS_SIGNING_KEY),
    folderMaker: values.PAYOUTS_FOLDER_MAKER,
    lacksPolicy: values.PAYOUTS_POLICY === undefined && !isAllHere(bank, temporal),
    lookAlikeDays: values.PAYOUTS_LOOK_ALIKE_DAYS,
    messageMapping: values.PAYOUTS_MESSAGE_MAPPING,
    payeeDirectory: values.PAYOUTS_PAYEE_DIRECTORY,
    cards: cardsOf(values),
    webhook: webhookOf(values),
    gatewayTokens: new Secret(gatewayTokensOf(values)),
    gatewayPerMinute: values.PAYOUTS_GATEWAY_RATE,
    gateway: gatewayConfigOf(values),
    audit: auditOf(values),
    logLevel: values.PAYOUTS_LOG_LEVEL,
  };
}

const auditOf = ({ PAYOUTS_AUDIT_KEY: key, PAYOUTS_AUDIT_CHECKPOINTS: file }: KeyValues): AuditConfig => ({
  key: key && new Secret(key),
  checkpoints: file === undefined ? undefined : resolve(file),
});

function readKeys(env: Environment): KeyValues {
  const values: Partial<Record<KeyName, unknown>> = {};
  for (const { name } of CONFIG_KEYS) {
    const { schema, default: defaultText, meaning } = keyOf(name);
    const text = textOf(env, name) ?? defaultText;
    if (text === null) continue;
    const result = schema.safeParse(text);
    if (!result.success)
      throw new ConfigError(name, result.error.issues[0]?.message ?? 'cannot be used', `It is: ${meaning}.`);
    values[name] = result.data;
  }
  return values as KeyValues;
}

/** The value under `name` or in the file under `name_FILE`; a blank counts as absent. */
function textOf(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  const text = env[name] || undefined;
  if (!file) return text;
  if (text !== undefined) throw new ConfigError(name, `is set beside ${name}_FILE`, 'Set one of the two.');
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined;
  } catch {
    throw new ConfigError(`${name}_FILE`, 'names a file that cannot be read', 'Check the path and its permissions.');
  }
}

function bankOf(values: KeyValues): BankConfig {
  const { PAYOUTS_API_URL: url, PAYOUTS_API_KEY: key, PAYOUTS_API_SECRET: secret } = values;
  const access = {
    key: new Secret(key),
    secret: new Secret(secret),
    auth: {
      method: values.PAYOUTS_AUTH_METHOD,
      body: JSON.stringify(values.PAYOUTS_AUTH_BODY),
      tokenField: values.PAYOUTS_AUTH_TOKEN_FIELD,
      prefix: values.PAYOUTS_AUTH_PREFIX,
    },
    authBeforeExecution: values.PAYOUTS_AUTH_BEFORE_EXECUTION,
  };
  if (url === undefined) return { kind: 'sandbox', ...access };
  if (!isLoopback(new URL(url).hostname)) assertSafeElsewhere(url, values);
  return { kind: 'remote', url, ...access };
}

function assertSafeElsewhere(url: string, values: KeyValues): void {
  if (values.PAYOUTS_API_SECRET === SANDBOX_SECRET || values.PAYOUTS_API_KEY === SANDBOX_KEY) {
    const name = values.PAYOUTS_API_KEY === SANDBOX_KEY ? 'PAYOUTS_API_KEY' : 'PAYOUTS_API_SECRET';
    throw new ConfigError(
      name,
      'is the default of the sandbox, for a bank on another machine',
      `Set ${name} or ${name}_FILE.`,
    );
  }
  if (url.startsWith('http:') && !values.PAYOUTS_ALLOW_HTTP) {
    throw new ConfigError(
      'PAYOUTS_API_URL',
      'sends key and payees to another machine in clear text',
      'Use https://, or set PAYOUTS_ALLOW_HTTP=true.',
    );
  }
}

/** Refuses what makes two worlds of one: a store for each machine, or waits that are shorter than the bank's. */
function assertOneWorld(given: {
  values: KeyValues;
  storeUrl: string;
  bank: BankConfig;
  temporal: TemporalConfig;
}): void {
  const { values, storeUrl, bank, temporal } = given;
  if (temporal.kind === 'cluster' && storeUrl.startsWith('file:') && !values.PAYOUTS_ONE_MACHINE) {
    throw new ConfigError(
      'PAYOUTS_STORE_URL',
      'is a SQLite file on this machine, for a Temporal cluster that workers on other machines can serve',
      'Set postgres://..., or PAYOUTS_ONE_MACHINE=true if everything of this cluster runs on this machine with this file.',
    );
  }
  if (values.PAYOUTS_TIME_SCALE === 1 || values.PAYOUTS_TIME_SCALE_OFF_LOOPBACK) return;
  if (isAllHere(bank, temporal)) return;
  const bankIsHere = isHere(bank);
  throw new ConfigError(
    'PAYOUTS_TIME_SCALE',
    `shrinks the waits that prove that no order was made, with a ${bankIsHere ? 'Temporal' : 'bank'} on another machine`,
    'Unset it, or set PAYOUTS_TIME_SCALE_OFF_LOOPBACK=true for a bank that is a test of yours.',
  );
}

/** With a policy people have tokens of their own, and nobody else is let in. */
function gatewayTokensOf({
  PAYOUTS_GATEWAY_TOKEN: tokens = [],
  PAYOUTS_POLICY: policy,
}: KeyValues): readonly GatewayToken[] {
  if (policy === undefined || tokens.length === 0) return tokens;
  throw new ConfigError(
    'PAYOUTS_GATEWAY_TOKEN',
    'is set beside PAYOUTS_POLICY, which names the tokens of its people',
    'Unset it; payouts policy token makes one for a person.',
  );
}

const isHere = (bank: BankConfig): boolean => bank.kind === 'sandbox' || isLoopback(new URL(bank.url).hostname);

const isAllHere = (bank: BankConfig, temporal: TemporalConfig): boolean =>
  isHere(bank) && (temporal.kind === 'embedded' || isLoopback(hostOf(temporal.address)));

/** Throws a `ConfigError` where money would move with nobody's word on who may move it. */
export function assertPolicy({ lacksPolicy }: Config): void {
  if (!lacksPolicy) return;
  throw new ConfigError(
    'PAYOUTS_POLICY',
    'is not set, with a bank or a Temporal on another machine: nobody has said who may move money',
    'payouts policy init FILE makes a policy; set PAYOUTS_POLICY to the file.',
  );
}

/** A cluster only when the environment names one: a config file alone does not count. */
function temporalOf(env: Environment, values: KeyValues): TemporalConfig {
  if (!env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE) return { kind: 'embedded', namespace: 'default' };
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({
      overrideEnvVars: Object.fromEntries(given),
    });
    const { address = 'localhost:7233', tls } = connectionOptions;
    assertTemporalSealed(address, tls, values, env);
    return { kind: 'cluster', namespace, address, connect: new Secret(connectionOptions) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const key = env.TEMPORAL_PROFILE ? 'TEMPORAL_PROFILE' : 'TEMPORAL_ADDRESS';
    throw new ConfigError(
      key,
      error instanceof Error ? error.message : 'cannot be used',
      'Check TEMPORAL_* and the config file of the temporal CLI.',
    );
  }
}

const resolved = (url: string): string => (url.startsWith('file:') ? `file:${resolve(filePath(url))}` : url);

const filePath = (url: string): string => url.replace(/^file:(\/\/)?/, '');
