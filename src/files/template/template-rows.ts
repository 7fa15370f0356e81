import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { currencyExponent } from '../../domain/currency.ts';
import { formatMinor } from '../../domain/money.ts';
import { samplePayee } from './sample-payee.ts';

export interface TemplateIds {
  uid: string;
  accountOf(currency: string): string;
  /** A beneficiary known to the bank. */
  beneficiaryOf(currency: string, paymentType: string): string;
}

const WHOLE_UNITS = 100n;

/** One row to a known beneficiary, then one for each payment type that the bank offers. Blank values are left out. */
export function templateRows(entries: readonly RequiredDetailsEntry[], ids: TemplateIds): Record<string, string>[] {
  const known = entries.slice(0, 1).map((entry) => ({
    entry,
    payee: { beneficiary_id: ids.beneficiaryOf(entry.currency, entry.payment_type) },
  }));
  const made = entries.map((entry) => {
    const { beneficiary_type, payment_type } = entry;
    return { entry, payee: { beneficiary_type, payment_type, ...samplePayee(entry) } };
  });
  return [...known, ...made].map(({ entry: { currency }, payee }, index) => ({
    id: `EXAMPLE-${index + 1}`,
    uid: ids.uid,
    account_id: ids.accountOf(currency),
    amount: formatMinor(WHOLE_UNITS * 10n ** BigInt(currencyExponent(currency) ?? 2), currency),
    currency,
    ...payee,
    note: 'Example payout',
  }));
}
