import { DAY_MS } from './durations.ts';
import { FLAGS, type Flag, type Shown } from './flags.ts';
import { compareDecimals, sumDecimals } from './money.ts';

/** What is known of the payee of a payout by now. Times are epoch ms, amounts decimals in the currency of the payout. */
export interface PayeeFacts {
  /** When the bank made it; undefined: it has none so far, or does not say. */
  createdAt: number | undefined;
  /** As the bank shows it now; undefined: not at all. */
  digest: string | undefined;
  /** As it was when it was paid last; undefined: never by us. */
  paidDigest: string | undefined;
  /** When a reading first showed other details than the one before; null: none has. */
  changedAt: number | null;
  /** Another payee of the user has a name that looks like this one's and is written in another way. */
  isLookAlike: boolean;
  /** False as well where its country is not known. */
  isFirstToCountry: boolean;
  /** The last payments to it. */
  paid: readonly string[];
  amount: string;
}

/** A payee younger than this at the bank counts as new, and one that was changed later than this ago as changed. */
const RECENT_MS = 7 * DAY_MS;
const USUAL_TIMES = 3;

/** The flags of a payee, in the order of `FLAGS`. */
export function payeeFlags(facts: PayeeFacts, now: number): Flag[] {
  const { createdAt, digest, paidDigest, changedAt, isLookAlike, isFirstToCountry } = facts;
  const isRecent = (at: number): boolean => now - at < RECENT_MS;
  const isOtherThanPaid = paidDigest !== undefined && digest !== undefined && paidDigest !== digest;
  const found: Partial<Record<Flag, boolean>> = {
    'new-payee': createdAt === undefined || isRecent(createdAt),
    'changed-payee': isOtherThanPaid || (changedAt !== null && isRecent(changedAt)),
    'look-alike-name': isLookAlike,
    'first-to-country': isFirstToCountry,
    'above-usual': isAboveUsual(facts),
  };
  return raised(found);
}

/** A payee that was never paid has no usual amount: it is new, or paid for the first time. */
const isAboveUsual = ({ paid, amount }: PayeeFacts): boolean =>
  paid.length > 0 && paid.every((earlier) => compareDecimals(amount, times(earlier, USUAL_TIMES)) === 1);

const times = (amount: string, n: number): string => sumDecimals(Array<string>(n).fill(amount));

/** How a reading differs from the first one of the payout. */
export function differences(first: Shown, now: Shown): Flag[] {
  const differs = (part: keyof Shown): boolean =>
    first[part] !== undefined && now[part] !== undefined && first[part] !== now[part];
  return raised({
    'payee-differs': differs('payee'),
    'account-differs': differs('account'),
    'fee-differs': differs('fee'),
  });
}

const raised = (found: Partial<Record<Flag, boolean>>): Flag[] =>
  (Object.keys(FLAGS) as Flag[]).filter((flag) => found[flag] === true);

/** Of a payee's details, under the names that the bank asks for: how it is called; undefined where they do not say. */
export function payeeName(items: Readonly<Record<string, string | undefined>>): string | undefined {
  const { account_name: account, company_name: company, first_name: first = '', last_name: last = '' } = items;
  const name = [company, account, `${first} ${last}`].find((text) => text !== undefined && text.trim() !== '');
  return name?.trim();
}

/** In which country it is paid: that of the IBAN, of the BIC, or the one named. */
export function payeeCountry(items: Readonly<Record<string, string | undefined>>): string | undefined {
  const { iban_no: iban, swift_code: bic, region_country: region } = items;
  const country = [iban?.slice(0, 2), bic?.slice(4, 6), region].find((text) => text !== undefined && text !== '');
  return country?.toUpperCase();
}
