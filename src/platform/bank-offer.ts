import type { Bank } from '../bank/bank.ts';
import { isJudged, undefinedIf } from '../bank/errors.ts';
import type { RequiredDetailsEntry } from '../bank/schemas/beneficiaries.ts';
import { currencyCodes } from '../domain/currency.ts';
import { Problem } from '../domain/problem.ts';

const BENEFICIARY_TYPES = ['personal', 'business'] as const;
/** Assumed if the institution shows no account from which to take its currencies. */
const USUAL_CURRENCY = 'USD';

/**
 * The bank's required-details for payees: in one currency, else in every currency that the institution holds. Throws a usage
 * error for a currency that is not in ISO 4217, or in which the bank offers nothing.
 */
export async function bankOffer(bank: Bank, currency: string | undefined): Promise<RequiredDetailsEntry[]> {
  if (currency !== undefined && !currencyCodes().includes(currency)) {
    const upper = currency.toUpperCase();
    throw new Problem('usage', 'unknown-currency', `"${currency}" is not an ISO 4217 currency code.`, {
      hint: `Write ${currencyCodes().includes(upper) ? upper : 'a code such as EUR'}.`,
    });
  }
  const currencies = currency === undefined ? await heldCurrencies(bank) : [currency];
  const entries = await offerIn(bank, currencies);
  if (entries.length === 0) {
    throw new Problem('usage', 'nothing-offered', `The bank offers no payment in ${currencies.join(', ')}.`, {
      hint: 'Name another currency with --currency.',
    });
  }
  return entries;
}

/** What the bank offers in these currencies; nothing for one in which it pays nothing, or that is none. */
export async function offerIn(bank: Bank, currencies: Iterable<string>): Promise<RequiredDetailsEntry[]> {
  const entries: RequiredDetailsEntry[] = [];
  for (const currency of currencies) {
    for (const type of BENEFICIARY_TYPES) {
      // A bank may refuse to list details for a currency that it holds but does not pay out.
      const offered = await undefinedIf(isJudged, () => bank.beneficiaries.requiredDetails(currency, type));
      entries.push(...(offered ?? []));
    }
  }
  return entries;
}

async function heldCurrencies(bank: Bank): Promise<string[]> {
  const held = new Set((await bank.accounts.master()).map(({ currency }) => currency));
  return held.size === 0 ? [USUAL_CURRENCY] : [...held];
}
