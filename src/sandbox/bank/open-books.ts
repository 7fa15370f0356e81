import { parseAmount } from '../../domain/money.ts';
import { DAY_MS } from '../../domain/time.ts';
import { draw } from '../draw.ts';
import { Database } from '../sandbox-database.ts';
import { MASTER_UID, openAccount } from './account-book.ts';
import { requiredDetails } from './beneficiary-book.ts';
import type { Books, Settings } from './books.ts';
import { deposit } from './ledger.ts';
import { DEFAULT_SETTLE_TIMES, type SettleTimes } from './order-machine.ts';
import { DEFAULT_PROFILE, type Profile } from './profile.ts';

/**
 * What a new sandbox holds. Ids are stable, so that examples and tests can name them.
 *
 * - Accounts `acc-<user>-<currency>` in USD, EUR, GBP, AUD, JPY, CHF, SGD and HKD for `master` (acc-master-usd; 10,000,000.00
 *   each), `u-1001` (acc-u1001-usd; 1,000,000.00 each) and `u-1002` (acc-u1002-usd; 1,000,000.00 each). JPY: a hundred times
 *   as many yen.
 * - Beneficiaries `ben-<user>-<currency>-<payment type>` for every payment type of every currency (`local`, for AUD `bsb`,
 *   and `swift`): ben-u1001-usd-local, ben-u1001-aud-bsb, ben-u1002-eur-swift, ... Those of u-1001 are persons, those of
 *   u-1002 companies.
 */
export const SEED_CURRENCIES = ['USD', 'EUR', 'GBP', 'AUD', 'JPY', 'CHF', 'SGD', 'HKD'] as const;

const HOLDERS = [
  { uid: MASTER_UID, key: 'master', balanceMinor: 1_000_000_000n, beneficiaryType: undefined },
  { uid: 'u-1001', key: 'u1001', balanceMinor: 100_000_000n, beneficiaryType: 'personal' },
  { uid: 'u-1002', key: 'u1002', balanceMinor: 100_000_000n, beneficiaryType: 'business' },
] as const;

/** Seeded payees are old enough not to need the approval of new payees. */
const KNOWN_FOR_MS = 30 * DAY_MS;

/** Fills an empty sandbox, inside the caller's transaction. */
function seedBooks(db: Database, at: number): void {
  for (const { uid, key, balanceMinor, beneficiaryType } of HOLDERS) {
    for (const currency of SEED_CURRENCIES) {
      const accountId = `acc-${key}-${currency.toLowerCase()}`;
      openAccount(db, { accountId, uid, currency, kind: 'customer', at });
      deposit(db, { accountId, currency, amount: balanceMinor, at });
      if (beneficiaryType === undefined) continue;
      for (const { fields, ...kind } of requiredDetails(currency, beneficiaryType)) {
        const id = `ben-${key}-${currency.toLowerCase()}-${kind.payment_type}`;
        const names = fields.filter(({ required }) => required).map(({ field }) => field);
        const items = JSON.stringify(detailsOf(names, currency));
        db.insert('beneficiaries', { ...kind, id, uid, items, created_at: at - KNOWN_FOR_MS });
      }
    }
  }
}

const COUNTRIES: Readonly<Record<string, string>> = { EUR: 'DE' };

/** Made-up values that match every rule of required-details. */
function detailsOf(names: readonly string[], currency: string): Record<string, string> {
  const country = COUNTRIES[currency] ?? currency.slice(0, 2);
  const digitsOf: Readonly<Record<string, number>> = { HKD: 3 };
  const values: Readonly<Record<string, string>> = {
    account_name: `Sample Payee ${currency}`,
    first_name: 'Sample',
    last_name: `Payee ${currency}`,
    company_name: `Sample Company ${currency}`,
    mobile: '+10000000000',
    region_country: country,
    address_country: country,
    address_state: 'Sample State',
    address_city: 'Sample City',
    address_suburb: 'Sample Suburb',
    address_address1: '1 Sample Street',
    aba_routing_code: '000000000',
    account_no: currency === 'JPY' ? '0001001' : '00001001',
    sort_code: '000000',
    bsb: '000-000',
    bank_code: '0'.repeat(digitsOf[currency] ?? 4),
    branch_code: '000',
    iban_no: `${country}00SAMPLE0000001001`,
    swift_code: `SAMP${country}00`,
  };
  return Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
}

export interface BooksOptions {
  /** SQLite file, created if missing; `:memory:` stores nothing. For one process at a time. */
  file: string;
  /** Whether a new file gets the accounts and beneficiaries of `seed.ts`. */
  seed?: boolean;
  /** Milliseconds an order stays in each status. */
  settle?: Partial<SettleTimes>;
  /** Decimal strings by currency: from this amount on, an order waits for an audit. */
  auditThreshold?: Record<string, string>;
  profile?: Partial<Profile>;
}

/** Opens the books in a file, seeded if it is new. Throws if the file has another version. */
export function openBooks(options: BooksOptions, now: () => number): Books {
  const settings = settingsOf(options);
  const db = new Database(options.file, (empty) => {
    if (options.seed ?? true) seedBooks(empty, now());
  });
  let shuffles = 0;
  return {
    db,
    settings,
    profile: { ...DEFAULT_PROFILE, ...options.profile },
    now,
    nextShuffle: () => {
      shuffles += 1;
      return draw('page order', shuffles);
    },
  };
}

const DEFAULT_AUDIT_THRESHOLDS: Readonly<Record<string, string>> = { JPY: '1500000', HKD: '80000.00' };
const OTHER_AUDIT_THRESHOLD_MINOR = 1_000_000n;

/** Without thresholds given, an order waits for an audit from 10000.00 on (JPY 1500000; HKD 80000.00). */
export function settingsOf(options: Pick<BooksOptions, 'settle' | 'auditThreshold'>): Settings {
  const thresholds = new Map<string, bigint>();
  for (const [currency, amount] of Object.entries({ ...DEFAULT_AUDIT_THRESHOLDS, ...options.auditThreshold })) {
    const parsed = parseAmount(amount, currency);
    if (!parsed.ok) throw new RangeError(`audit threshold of ${currency}: ${parsed.rule}`);
    thresholds.set(currency, parsed.minor);
  }
  return {
    settle: { ...DEFAULT_SETTLE_TIMES, ...options.settle },
    auditThreshold: (currency) => thresholds.get(currency) ?? OTHER_AUDIT_THRESHOLD_MINOR,
  };
}
