import { DAY_MS } from '../../domain/durations.ts';
import type { Database } from '../database.ts';
import { MASTER_UID, openAccount } from './accounts.ts';
import { deposit } from './ledger.ts';
import { requiredDetails } from './required-details.ts';

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
export function seedBooks(db: Database, at: number): void {
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
