import type { Bank } from './bank.ts';
import type { RequiredDetailsEntry } from './schemas/beneficiaries.ts';

/** The rules of a payment network change rarely, and a batch of new payees asks for the same few repeatedly. */
const KEEP_MS = 60_000;

/** The bank with required-details cached for a minute per (currency, beneficiary type). */
export function withRequiredDetailsCache(bank: Bank, now: () => number = () => performance.now()): Bank {
  const kept = new Map<string, { until: number; entries: Promise<RequiredDetailsEntry[]> }>();
  const requiredDetails: Bank['beneficiaries']['requiredDetails'] = (currency, beneficiaryType, options) => {
    const key = `${currency} ${beneficiaryType}`;
    const known = kept.get(key);
    if (known !== undefined && now() < known.until) return known.entries;
    const entries = bank.beneficiaries.requiredDetails(currency, beneficiaryType, options);
    kept.set(key, { until: now() + KEEP_MS, entries });
    // Failed reads are not cached.
    entries.catch(() => kept.delete(key));
    return entries;
  };
  return { ...bank, beneficiaries: { ...bank.beneficiaries, requiredDetails } };
}
