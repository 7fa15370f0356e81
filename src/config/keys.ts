import type { z } from 'zod';
import { DOOR_KEYS } from './door-keys.ts';
import { type Key, key } from './key.ts';
import {
  approvalPolicy,
  auditKey,
  count,
  decimal,
  duration,
  flag,
  fraction,
  httpUrl,
  jsonTexts,
  oneOf,
  storeUrl,
  text,
  timeScale,
} from './values.ts';

/**
 * Every setting of the product, in one table. `default: null` means absent. A name with `_FILE` behind it names a file
 * that holds the value. Those marked (api-gaps) stand in for what interface.md does not show.
 */
const KEYS = {
  PAYOUTS_API_URL: key(httpUrl, null, 'base URL of the bank; absent: the embedded sandbox'),
  PAYOUTS_API_KEY: key(text, 'sandbox-key', 'API key; the default works on this machine only'),
  PAYOUTS_API_SECRET: key(text, 'sandbox-secret', 'API secret; the default works on this machine only'),
  PAYOUTS_ALLOW_HTTP: key(flag, 'false', 'allow http:// to another machine, where key and payees travel in clear text'),
  PAYOUTS_ALLOW_CLEAR_TEMPORAL: key(
    flag,
    'false',
    'allow a Temporal on another machine without TLS, where payees and decisions travel in clear text',
  ),
  PAYOUTS_ALLOW_CLEAR_STORE: key(
    flag,
    'false',
    'allow a PostgreSQL on another machine without sslmode=verify-full, where others could read and change what it keeps',
  ),
  PAYOUTS_AUTH_METHOD: key(oneOf('POST', 'GET'), 'POST', 'method of the token request (api-gaps)'),
  PAYOUTS_AUTH_BODY: key(
    jsonTexts,
    '{"api_key":"{key}","api_secret":"{secret}"}',
    'JSON template of the token request; its members are headers when the method is GET (api-gaps)',
  ),
  PAYOUTS_AUTH_TOKEN_FIELD: key(
    text,
    null,
    'member of the answer that holds the token; absent: access_token, token (api-gaps)',
  ),
  PAYOUTS_AUTH_PREFIX: key(text, '', 'word before the token in the Authorization header (api-gaps)'),
  PAYOUTS_AUTH_BEFORE_EXECUTION: key(
    flag,
    'true',
    'a 401 or 403 on a write proves that nothing was executed; false: it is ambiguous (api-gaps)',
  ),
  PAYOUTS_REFERENCE_DEDUPE: key(
    oneOf('assumed', 'verified', 'none'),
    'assumed',
    'how far the bank is trusted to recognise a reference it has seen (api-gaps)',
  ),
  PAYOUTS_CLOSED_MEANS: key(
    oneOf('unclear', 'paid', 'failed'),
    'unclear',
    'meaning of the order status CLOSED (api-gaps)',
  ),
  PAYOUTS_PAGE_SIZE: key(count(1, 1_000), '100', 'records asked for per page of a list (api-gaps)'),
  PAYOUTS_BANK_CLOCK_SKEW: key(duration, '10m', "how far the bank's clock may be off; never scaled (api-gaps)"),
  PAYOUTS_LATE_COMMIT: key(
    duration,
    '10m',
    'how long after a lost answer the bank may still commit an order (api-gaps)',
  ),
  PAYOUTS_LIST_LAG: key(duration, '2m', 'how long a committed order may be missing from the order list (api-gaps)'),
  PAYOUTS_NO_MONEY_RECHECK: key(
    duration,
    '60s',
    'how far apart the two reads of a status that says "no money" are (api-gaps)',
  ),
  PAYOUTS_STATUS_AGE_LIMIT: key(duration, '72h', 'an order that has not moved for this long goes to needs-operator'),
  PAYOUTS_PATIENCE: key(duration, '24h', 'a payout that has heard nothing for this long looks itself'),
  PAYOUTS_FUNDS_PATIENCE: key(duration, '24h', 'how long a payout waits for money on its account'),
  PAYOUTS_RECONCILE_DAYS: key(
    count(1, 3_650),
    '45',
    "days after its last change in which a payout is compared with the bank's orders; never scaled (api-gaps)",
  ),
  PAYOUTS_RECONCILE_EVERY: key(duration, '6h', 'pause between two such comparisons, 30s at least'),
  PAYOUTS_APPROVAL_TTL: key(
    duration,
    '72h',
    "life of our approvals (scaled) and the bank's `expired_at` where a row has none (not scaled)",
  ),
  PAYOUTS_TIME_SCALE: key(timeScale, '1', 'shrinks our own waits: 0.02 and 50 (read as 1:50) mean the same'),
  PAYOUTS_TIME_SCALE_OFF_LOOPBACK: key(
    flag,
    'false',
    'allow another PAYOUTS_TIME_SCALE than 1 with a bank or a Temporal on another machine, whose time is not shrunk',
  ),
  PAYOUTS_WINDOW: key(count(1, 1_000), '50', 'payouts of one batch at work whose order the bank has not accepted yet'),
  PAYOUTS_OPEN_ORDERS: key(
    count(1, 100_000_000),
    '100000',
    'payouts with an order open at the bank, over all batches; at this many no further row is released (api-gaps)',
  ),
  PAYOUTS_APPROVAL_POLICY: key(
    approvalPolicy,
    '{"rules":[]}',
    'JSON {"rules":[{"currency"?,"amountAtLeast"?,"newPayee"?,"approvals"}]}; the largest number of a matching rule holds',
  ),
  PAYOUTS_POLICY: key(
    text,
    null,
    'JSON file that names people, roles, limits and approvals; with it decisions are signed; absent: a trial, names are believed',
  ),
  PAYOUTS_SIGNING_KEY: key(
    text,
    null,
    'Ed25519 private key (PKCS #8, PEM) that commands sign decisions with; better PAYOUTS_SIGNING_KEY_FILE',
  ),
  PAYOUTS_FOLDER_MAKER: key(text, null, 'maker, by the policy, of the files that drop folders take'),
  PAYOUTS_LOOK_ALIKE_DAYS: key(
    count(0, 365),
    '3',
    'days within which a payout of the same payee, amount and currency is held for a decision; 0: never',
  ),
  PAYOUTS_MESSAGE_MAPPING: key(
    text,
    null,
    'JSON file: debtor accounts and payment types of bank messages (pain.001, ABA, NACHA)',
  ),
  PAYOUTS_PAYEE_DIRECTORY: key(text, null, 'CSV file: what bank messages lack about payees'),
  PAYOUTS_FEE_CAP: key(
    decimal,
    null,
    "cap on the fee, in the fee's own currency, where a row has none; absent: no cap",
  ),
  PAYOUTS_MAX_SLIPPAGE: key(
    fraction,
    '0.01',
    'how far an exchange may cost more than its quote, where a row says nothing',
  ),
  PAYOUTS_TRANSFER_ACROSS_USERS: key(
    flag,
    'false',
    'a transfer may go to an account of another user that the key sees (api-gaps)',
  ),
  PAYOUTS_HOLIDAYS: key(
    text,
    null,
    'JSON file {"weekend":["SAT","SUN"]?,"holidays":{"*":[DATE],"EUR":[DATE]}}: a row due on such a day is due on the next open one; absent: every day is open',
  ),
  PAYOUTS_HOME: key(text, '.payouts', 'folder of databases and reports, from the working directory'),
  PAYOUTS_STORE_URL: key(storeUrl, null, 'file:PATH or postgres://...; absent: store.sqlite in the home'),
  PAYOUTS_ONE_MACHINE: key(
    flag,
    'false',
    'every worker, gateway and command of a Temporal cluster runs on this machine and shares the SQLite store',
  ),
  PAYOUTS_REPLACES_STORE: key(
    text,
    null,
    'id of a store that is gone for good: a worker that starts takes its Temporal namespace for the present one',
  ),
  PAYOUTS_UI_URL: key(httpUrl, null, "address of the Temporal Web UI in links; absent: the embedded server's"),
  ...DOOR_KEYS,
  PAYOUTS_AUDIT_KEY: key(
    auditKey,
    null,
    'private Ed25519 key in PEM that signs checkpoints of the audit; absent: audit-key.pem in the home, made at first use',
  ),
  PAYOUTS_AUDIT_CHECKPOINTS: key(
    text,
    null,
    'file, best on another machine, that every checkpoint of the audit is appended to; absent: they stay in the store',
  ),
  PAYOUTS_LOG_LEVEL: key(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    null,
    'level of the log on stderr; absent: info for workers, warn for other commands',
  ),
} as const;

export type KeyName = keyof typeof KEYS;

export type KeyValues = {
  [Name in KeyName]:
    | z.output<(typeof KEYS)[Name]['schema']>
    | ((typeof KEYS)[Name]['default'] extends null ? undefined : never);
};

export const keyOf = (name: KeyName): Key<z.ZodType, string | null> => KEYS[name];

/** For the documentation and `doctor`: name, default and meaning of every setting. */
export const CONFIG_KEYS: readonly { name: KeyName; default: string | null; meaning: string }[] = (
  Object.keys(KEYS) as KeyName[]
).map((name) => ({ name, default: KEYS[name].default, meaning: KEYS[name].meaning }));
