import type { Bank } from '../api/bank.ts';
import { isJudged, unless } from '../api/errors.ts';
import type { RequiredDetailsEntry } from '../api/schemas/beneficiaries.ts';
import { currencyCodes } from '../domain/currency.ts';
import { Problem } from '../domain/problem.ts';

const BENEFICIARY_TYPES = ['personal', 'business'] as const;
/** Where the institution shows no account to take currencies from. */
const USUAL_CURRENCY = 'USD';

/**
 * What the bank asks of payees: in one currency, else in every currency that the institution holds. Throws a usage error
 * for a currency that ISO 4217 does not list, or that the bank offers nothing for.
 */
export async function bankOffer(bank: Bank, currency: string | undefined): Promise<RequiredDetailsEntry[]> {
  if (currency !== undefined && !currencyCodes().includes(currency)) {
    const upper = currency.toUpperCase();
    throw new Problem('usage', 'unknown-currency', `"${currency}" is not an ISO 4217 currency code.`, {
      hint: `Write ${currencyCodes().includes(upper) ? upper : 'a code such as EUR'}.`,
    });
  }
  const currencies = currency === undefined ? await heldCurrencies(bank) : [currency];
  const entries: RequiredDetailsEntry[] = [];
  for (const code of currencies) {
    for (const type of BENEFICIARY_TYPES) entries.push(...(await offered(bank, code, type)));
  }
  if (entries.length === 0) {
    throw new Problem('usage', 'nothing-offered', `The bank offers no payment in ${currencies.join(', ')}.`, {
      hint: 'Name another currency with --currency.',
    });
  }
  return entries;
}

async function heldCurrencies(bank: Bank): Promise<string[]> {
  const held = new Set((await bank.accounts.master()).map(({ currency }) => currency));
  return held.size === 0 ? [USUAL_CURRENCY] : [...held];
}

/** A bank may refuse to speak of a currency that it holds and does not pay out. */
const offered = async (bank: Bank, currency: string, beneficiaryType: string): Promise<RequiredDetailsEntry[]> =>
  (await unless(isJudged, () => bank.beneficiaries.requiredDetails(currency, beneficiaryType))) ?? [];
