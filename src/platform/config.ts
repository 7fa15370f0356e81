import { join, resolve } from 'node:path';
import { leadsHere } from '../domain/loopback.ts';
import { type KeyRing, keyRingOfHome } from './codec/keys.ts';
import { AUDIT_KEYS, auditConfigOf, RETENTION_KEYS, retentionDaysOf } from './config/audit.ts';
import { BANK_KEYS, type BankConfig, bankOf, proxiesOf } from './config/bank.ts';
import { CARD_KEYS, cardsOf, webhookOf } from './config/cards.ts';
import { CHECK_KEYS, checksOf } from './config/checks.ts';
import {
  assertGatewayEncrypted,
  assertPayloadsEncrypted,
  assertPostgresEncrypted,
  CLEAR_TEXT_KEYS,
} from './config/clear-text.ts';
import { type GivenSettings, givenBy } from './config/config-file.ts';
import { EVENT_CONFIG_KEYS, eventsOf } from './config/events.ts';
import { GATEWAY_KEYS, gatewayOf } from './config/gateway.ts';
import { heldIn, processOf } from './config/holdings.ts';
import { homeOf, witnessFolderOf } from './config/home.ts';
import { INTAKE_KEYS } from './config/intake.ts';
import { ConfigError, type Environment, key, readKeys, Secret, unknownKeys, type ValuesOf } from './config/key.ts';
import { assertKeysPrivate, FILE_ACCESS_KEYS, PolicyFile, readableSecrets } from './config/policy.ts';
import { AUTHORITY_KEYS, BANK_RECORD_KEYS, CARD_PACE_KEYS, PACE_KEYS, settingsOf } from './config/settings.ts';
import { SIGN_IN_KEYS, signInOf } from './config/sign-in.ts';
import { metricsOf, openAddresses, TELEMETRY_KEYS, tracesOf } from './config/telemetry.ts';
import { DEPLOYMENT_KEYS, deploymentOf, type TemporalConfig, temporalOf } from './config/temporal.ts';
import { codecKeys, count, flag, httpUrl, journalAccounts, oneOf, pathText, storeUrl, text } from './config/values.ts';

/** The only reader of the process environment. */

/** Every setting by subject. NAME_FILE instead of NAME gives a file that contains the value. */
export const SETTING_GROUPS = {
  Bank: {
    ...BANK_KEYS,
    ...BANK_RECORD_KEYS,
  },
  'Who may move money': {
    ...AUTHORITY_KEYS,
    PAYOUTS_SIGNING_KEY: key(
      text,
      null,
      'Ed25519 private key (PKCS #8, PEM) with which commands sign decisions; preferably as PAYOUTS_SIGNING_KEY_FILE',
    ),
  },
  'Home and store': {
    PAYOUTS_HOME: key(
      pathText,
      null,
      'folder of databases and reports, relative to the working directory; absent: .payouts there with the sandbox, with a bank one per user and bank in durable-payouts of XDG_DATA_HOME (~/.local/share)',
    ),
    PAYOUTS_STORE_URL: key(storeUrl, null, 'file:PATH or postgres://...; absent: store.sqlite in the home'),
    PAYOUTS_STORE_CONNECTIONS: key(
      count(1, 1_000),
      '10',
      'the most connections of this process to the PostgreSQL of the store; never more than a third of what it lets its role have',
    ),
    PAYOUTS_ONE_MACHINE: key(
      flag,
      'false',
      'states that all workers, gateways and commands of a Temporal cluster run on this machine and share the SQLite store',
    ),
    PAYOUTS_REPLACES_STORE: key(
      text,
      null,
      'id of a store that is lost for good: a worker that starts takes over its Temporal namespace for the present store',
    ),
    ...RETENTION_KEYS,
  },
  Files: {
    ...INTAKE_KEYS,
    PAYOUTS_PAIN002_VERSION: key(
      oneOf('pain.002.001.10', 'pain.002.001.03', 'as-asked'),
      'pain.002.001.10',
      'version of the answers to pain.001 (pain.002); as-asked: .03 to a .03, .10 to others. Some importers take every transaction of a .03 for a returned payment, paid ones too',
    ),
    PAYOUTS_JOURNAL_ACCOUNTS: key(
      journalAccounts,
      '{}',
      'JSON {"bank"?,"payment"?,"fee"?,"exchange"?,"return"?}: account codes of the journal, which may contain {account} and {currency}; absent: bank:{account}, payouts, bank-fees, exchange:{currency}, returned-payouts',
    ),
  },
  'Waits and pace': {
    ...PACE_KEYS,
  },
  'Payee checks': {
    ...CHECK_KEYS,
  },
  'Gateway and pages': {
    ...GATEWAY_KEYS,
  },
  'Sign-in to the pages': {
    ...SIGN_IN_KEYS,
  },
  'Events and mail': {
    ...EVENT_CONFIG_KEYS,
  },
  'Cards and webhooks': {
    ...CARD_KEYS,
    ...CARD_PACE_KEYS,
  },
  Temporal: {
    PAYOUTS_CODEC_KEYS: key(
      codecKeys,
      null,
      'keys that encrypt payloads in Temporal, as id:base64 of 32 bytes, comma-separated, the current one first; absent: codec-keys in the home for the embedded Temporal, none for a cluster',
    ),
    PAYOUTS_UI_URL: key(httpUrl, null, "address of the Temporal Web UI in links; absent: the embedded server's"),
    ...DEPLOYMENT_KEYS,
  },
  'Audit log': {
    ...AUDIT_KEYS,
  },
  'Logs, metrics and traces': {
    PAYOUTS_LOG_LEVEL: key(
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      null,
      'log level on stderr; absent: info for workers and gateways, warn for other commands',
    ),
    ...TELEMETRY_KEYS,
  },
  'Exceptions for clear text and tests': {
    ...CLEAR_TEXT_KEYS,
    ...FILE_ACCESS_KEYS,
    PAYOUTS_TIME_SCALE_OFF_LOOPBACK: key(
      flag,
      'false',
      'allow a PAYOUTS_TIME_SCALE other than 1 with a bank or a Temporal on another machine, whose time is not scaled',
    ),
  },
  'Configuration files': {
    PAYOUTS_CONFIG: key(
      pathText,
      null,
      'configuration file of the user, only in the environment; absent: durable-payouts/payouts.toml in XDG_CONFIG_HOME (~/.config); /dev/null: none',
    ),
    PAYOUTS_PROFILE: key(
      text,
      null,
      'profile of that file, only in the environment, or as --profile; absent: what stands before the first profile',
    ),
  },
} as const;

/** Every setting, in one table. */
export const CONFIG_KEYS = {
  ...SETTING_GROUPS.Bank,
  ...SETTING_GROUPS['Who may move money'],
  ...SETTING_GROUPS['Home and store'],
  ...SETTING_GROUPS.Files,
  ...SETTING_GROUPS['Waits and pace'],
  ...SETTING_GROUPS['Payee checks'],
  ...SETTING_GROUPS['Gateway and pages'],
  ...SETTING_GROUPS['Sign-in to the pages'],
  ...SETTING_GROUPS['Events and mail'],
  ...SETTING_GROUPS['Cards and webhooks'],
  ...SETTING_GROUPS.Temporal,
  ...SETTING_GROUPS['Audit log'],
  ...SETTING_GROUPS['Logs, metrics and traces'],
  ...SETTING_GROUPS['Exceptions for clear text and tests'],
  ...SETTING_GROUPS['Configuration files'],
} as const;

type Values = ValuesOf<typeof CONFIG_KEYS>;

export type Config = ReturnType<typeof loadConfig>;

export const environment = (): Environment => process.env;

/** What environment and files say. `profile`: instead of `PAYOUTS_PROFILE`. */
export const givenSettings = (profile?: string): GivenSettings => givenBy(CONFIG_KEYS, environment(), profile);

/** The configuration of this process. Throws the first problem of its files, or of a setting, as a `ConfigError`. */
export function loadGiven(profile?: string): Config {
  const { env, problems } = givenSettings(profile);
  const [first] = problems;
  if (first !== undefined) throw first;
  return loadConfig(env);
}

/** Reads and checks every setting. Throws a `ConfigError` for the first unusable one. */
export function loadConfig(env: Environment) {
  const values = readKeys(CONFIG_KEYS, env);
  assertKeysPrivate(env, values);
  const bank = bankOf(values);
  const { home, homeHere } = homeOf(values.PAYOUTS_HOME, bank, env);
  const storeUrl = values.PAYOUTS_STORE_URL ? resolved(values.PAYOUTS_STORE_URL) : `file:${join(home, 'store.sqlite')}`;
  const temporal = temporalOf(env, values);
  if (!storeUrl.startsWith('file:')) assertPostgresEncrypted(storeUrl, values, env);
  if (values.PAYOUTS_GATEWAY_URL !== undefined) assertGatewayEncrypted(values.PAYOUTS_GATEWAY_URL, env);
  assertOneWorld({ values, storeUrl, bank, temporal });
  if (bank.kind !== 'sandbox') assertPayloadsEncrypted(temporal, values);
  const policyFile = values.PAYOUTS_POLICY === undefined ? undefined : new PolicyFile(values.PAYOUTS_POLICY);
  return {
    /** Absolute path. */
    home,
    /** The home in the working directory, where that of the bank is used instead of it without being asked for. */
    homeHere,
    /** `file:` with an absolute path, or `postgres://`, which can contain a password. */
    storeUrl: new Secret(storeUrl),
    /** The most connections of this process to PostgreSQL. */
    storeConnections: values.PAYOUTS_STORE_CONNECTIONS,
    bank,
    /** The proxy to a URL of the bank, of checks or of events; undefined: it is reached directly. */
    proxyFor: proxiesOf(values, env),
    temporal,
    /** Id of the store whose namespace this one takes over. */
    replacesStore: values.PAYOUTS_REPLACES_STORE,
    /** Keys that encrypt payloads in Temporal; undefined: they are in clear text. */
    codecKeys: codecKeysOf(values.PAYOUTS_CODEC_KEYS, temporal, home),
    /** URL of the Temporal Web UI in links, if not the embedded server's. */
    uiUrl: values.PAYOUTS_UI_URL,
    settings: settingsOf(values, policyFile),
    /** Where `settings.policy` comes from. */
    policyFile,
    signingKey: new Secret(values.PAYOUTS_SIGNING_KEY),
    /** Files of private keys may be readable for other users. */
    allowsReadableKeys: values.PAYOUTS_ALLOW_READABLE_KEYS,
    /** Bank or cluster are on another machine, and no policy says who may move money: nothing is sent. */
    lacksPolicy: values.PAYOUTS_POLICY === undefined && !isAllHere(bank, temporal),
    ...filesOf(values),
    /** Days after which personal data of ended payouts is erased; undefined: never. */
    retentionDays: retentionDaysOf(values),
    /** Undefined: payees are not checked. */
    checks: checksOf(values, bank),
    cards: cardsOf(values),
    webhook: webhookOf(values),
    gateway: gatewayOf(values, values.PAYOUTS_POLICY),
    signIn: signInOf(values),
    audit: auditConfigOf(values),
    events: eventsOf(values),
    metrics: metricsOf(values),
    /** Undefined: no traces. */
    traces: tracesOf(values),
    /** Undefined: not versioned, any worker takes any task. */
    deployment: deploymentOf(values, temporal),
    logLevel: values.PAYOUTS_LOG_LEVEL,
    ...environmentOf(values, env),
  };
}

/** What the environment itself says, for its checks. */
const environmentOf = (values: Values, env: Environment) => ({
  /** Where this machine notes, outside the home, how far each store is. */
  witnessFolder: witnessFolderOf(env),
  /** Environment for finding a Temporal CLI. */
  cliSearch: {
    TEMPORAL_CLI_PATH: env.TEMPORAL_CLI_PATH,
    PATH: env.PATH,
    XDG_CACHE_HOME: env.XDG_CACHE_HOME,
    HOME: env.HOME,
  },
  /** The environment names a proxy, which is not used: PAYOUTS_PROXY does not say so. */
  ignoresProxy: values.PAYOUTS_PROXY === undefined && ['HTTPS_PROXY', 'https_proxy'].some((name) => env[name]),
  /** Names of the settings with a secret that are set. */
  held: heldIn(env),
  /** What this environment is set up for. */
  process: processOf(env),
  /** A sentence for each variable that looks like a setting but is not one. */
  unknownSettings: unknownKeys(env, Object.keys(CONFIG_KEYS)),
  /** A sentence for each setting that shows others more than they need to see. */
  tooOpen: [...openAddresses(values), ...readableSecrets(env, values)],
});

/** How files are taken, and what is written about them. */
const filesOf = (values: Values) => ({
  /** Absolute paths of the drop folders that a worker processes for schedules. */
  folders: values.PAYOUTS_FOLDERS,
  /** By endpoint of Nexus: the maker of what comes through it. */
  nexusMakers: values.PAYOUTS_NEXUS_MAKERS,
  /** Under a policy: the maker of files from drop folders. */
  folderMaker: values.PAYOUTS_FOLDER_MAKER,
  lookAlikeDays: values.PAYOUTS_LOOK_ALIKE_DAYS,
  bankAuditsFrom: values.PAYOUTS_BANK_AUDITS_FROM,
  /** How long a file can be taken back before anything of it is sent, ms; undefined: the default of the channel. */
  undoMs: values.PAYOUTS_UNDO,
  /** Currency in which the plan adds up what it costs. */
  baseCurrency: values.PAYOUTS_BASE_CURRENCY,
  exchange: values.PAYOUTS_EXCHANGE,
  /** Paths of the files that complete bank messages. */
  messageMapping: values.PAYOUTS_MESSAGE_MAPPING,
  payeeDirectory: values.PAYOUTS_PAYEE_DIRECTORY,
  structuredAddressesFrom: values.PAYOUTS_STRUCTURED_ADDRESSES_FROM,
  journalAccounts: values.PAYOUTS_JOURNAL_ACCOUNTS,
  /** Undefined: as the message asks. */
  answerVersion: values.PAYOUTS_PAIN002_VERSION === 'as-asked' ? undefined : values.PAYOUTS_PAIN002_VERSION,
});

/** For the embedded Temporal: keys of the home, created when first needed. */
function codecKeysOf(given: KeyRing | undefined, { kind }: TemporalConfig, home: string): () => KeyRing | undefined {
  if (given !== undefined || kind === 'cluster') return () => given;
  return () => keyRingOfHome(home);
}

/** Refuses settings that break the assumption of one store: a store for each machine, or waits shorter than the bank's. */
function assertOneWorld(given: { values: Values; storeUrl: string; bank: BankConfig; temporal: TemporalConfig }): void {
  const { values, storeUrl, bank, temporal } = given;
  if (temporal.kind === 'cluster' && storeUrl.startsWith('file:') && !values.PAYOUTS_ONE_MACHINE) {
    throw new ConfigError(
      'PAYOUTS_STORE_URL',
      'is a SQLite file on this machine, but workers on other machines can serve this Temporal cluster',
      'Set postgres://..., or PAYOUTS_ONE_MACHINE=true if everything of this cluster runs on this machine with this file.',
    );
  }
  if (values.PAYOUTS_TIME_SCALE === 1 || values.PAYOUTS_TIME_SCALE_OFF_LOOPBACK) return;
  if (isAllHere(bank, temporal)) return;
  const bankIsHere = isHere(bank);
  throw new ConfigError(
    'PAYOUTS_TIME_SCALE',
    `shortens the waits that prove that no order was made, but the ${bankIsHere ? 'Temporal' : 'bank'} is on another machine`,
    'Unset it, or set PAYOUTS_TIME_SCALE_OFF_LOOPBACK=true for a test bank.',
  );
}

const isHere = (bank: BankConfig): boolean => bank.kind === 'sandbox' || leadsHere(bank.url);

const isAllHere = (bank: BankConfig, temporal: TemporalConfig): boolean =>
  isHere(bank) && (temporal.kind === 'embedded' || leadsHere(temporal.address));

/** Throws a `ConfigError` if money would move although no policy says who may move it. */
export function assertPolicy({ lacksPolicy }: Config): void {
  if (!lacksPolicy) return;
  throw new ConfigError(
    'PAYOUTS_POLICY',
    'is not set, but the bank or Temporal is on another machine: it has to define who may move money',
    'payouts policy init FILE makes a policy; set PAYOUTS_POLICY to the file.',
  );
}

const resolved = (url: string): string => (url.startsWith('file:') ? `file:${resolve(filePath(url))}` : url);

const filePath = (url: string): string => url.replace(/^file:(\/\/)?/, '');
