import { isLoopback } from '../../domain/loopback.ts';
import type { BankConfig } from './bank.ts';
import { ConfigError, key, Secret, type ValuesOf } from './key.ts';
import { currencies, duration, durationUpTo, httpUrl, oneOf, text } from './values.ts';

/** A reading of a payout has 7 s in its workflow task, checks included. */
const TIMEOUT_MAX_MS = 5_000;

/** Who checks payees before they are paid. */
export const CHECK_KEYS = {
  PAYOUTS_CHECKS: key(
    oneOf('none', 'sandbox', 'http'),
    'none',
    'who verifies and screens payees before they are paid: nobody, the embedded sandbox, or a provider over HTTP (docs/security.md)',
  ),
  PAYOUTS_CHECKS_URL: key(httpUrl, null, 'base URL of that provider'),
  PAYOUTS_CHECKS_SECRET: key(text, null, 'bearer token for it; preferably as PAYOUTS_CHECKS_SECRET_FILE'),
  PAYOUTS_CHECKS_TIMEOUT: key(
    durationUpTo(TIMEOUT_MAX_MS, 'is not a duration of at most 5s'),
    '3s',
    'time limit of one check, including a second try, at most 5s; after that it counts as not available',
  ),
  PAYOUTS_CHECKS_MAX_AGE: key(duration, '24h', 'verdicts older than this are requested again; never scaled'),
  PAYOUTS_CHECKS_VERIFY: key(
    currencies,
    null,
    'currencies whose payees are verified, comma-separated; absent: all. Payees of all currencies are screened',
  ),
} as const;

type CheckValues = ValuesOf<typeof CHECK_KEYS>;

/** Undefined: nobody does. */
export function checksOf(values: CheckValues, bank: BankConfig) {
  if (values.PAYOUTS_CHECKS === 'none') return undefined;
  const common = {
    timeoutMs: values.PAYOUTS_CHECKS_TIMEOUT,
    maxAgeMs: values.PAYOUTS_CHECKS_MAX_AGE,
    /** Undefined: all currencies. */
    verifiedCurrencies: values.PAYOUTS_CHECKS_VERIFY,
  };
  if (values.PAYOUTS_CHECKS === 'http') return { ...common, provider: remote(values) };
  if (bank.kind === 'sandbox') return { ...common, provider: { kind: 'sandbox' } as const };
  throw new ConfigError(
    'PAYOUTS_CHECKS',
    'is sandbox, but the bank is not the sandbox: its verdicts are invented',
    'Name your provider with PAYOUTS_CHECKS=http and PAYOUTS_CHECKS_URL, or unset it.',
  );
}

function remote({ PAYOUTS_CHECKS_URL: url, PAYOUTS_CHECKS_SECRET: secret }: CheckValues) {
  if (url === undefined || secret === undefined) {
    const missing = url === undefined ? 'PAYOUTS_CHECKS_URL' : 'PAYOUTS_CHECKS_SECRET';
    throw new ConfigError(
      missing,
      'is not set, but PAYOUTS_CHECKS is http',
      `Set ${missing}, or unset PAYOUTS_CHECKS.`,
    );
  }
  if (url.startsWith('http:') && !isLoopback(new URL(url).hostname)) {
    throw new ConfigError(
      'PAYOUTS_CHECKS_URL',
      'sends names and account numbers to another machine in clear text',
      'Use https://.',
    );
  }
  return { kind: 'http', url, secret: new Secret(secret) } as const;
}
