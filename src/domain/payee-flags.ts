import { DAY_MS } from './durations.ts';
import { FLAGS, type Flag, type Shown } from './flags.ts';
import { compareDecimals, sumDecimals } from './money.ts';

/** What is known about a payout's payee. Times are epoch ms, amounts decimal strings in the payout's currency. */
export interface PayeeFacts {
  /** When the bank created it; undefined if it has not, or does not say. */
  createdAt: number | undefined;
  /** Digest of the payee as the bank shows it now; undefined if not shown. */
  digest: string | undefined;
  /** Digest when we last paid it; undefined if we never have. */
  paidDigest: string | undefined;
  /** When a reading first showed details other than the reading before; null if none has. */
  changedAt: number | null;
  /** The bank shows it as that of a user other than the payout's. */
  isOfAnotherUser: boolean;
  /** Another payee of the user has a different name that looks the same. */
  isLookAlike: boolean;
  /** Also false if its country is unknown. */
  isFirstToCountry: boolean;
  /** Amounts of the last payments to it. */
  paid: readonly string[];
  amount: string;
}

/** A payee created at the bank less than this ago counts as new, one changed less than this ago as changed. */
const RECENT_MS = 7 * DAY_MS;
const USUAL_TIMES = 3;

/** The flags of a payee, in the order of `FLAGS`. */
export function payeeFlags(facts: PayeeFacts, now: number): Flag[] {
  const { createdAt, digest, paidDigest, changedAt, isOfAnotherUser, isLookAlike, isFirstToCountry } = facts;
  const isRecent = (at: number): boolean => now - at < RECENT_MS;
  const isOtherThanPaid = paidDigest !== undefined && digest !== undefined && paidDigest !== digest;
  const found: Partial<Record<Flag, boolean>> = {
    'new-payee': createdAt === undefined || isRecent(createdAt),
    'changed-payee': isOtherThanPaid || (changedAt !== null && isRecent(changedAt)),
    'payee-of-another-user': isOfAnotherUser,
    'look-alike-name': isLookAlike,
    'first-to-country': isFirstToCountry,
    'above-usual': isAboveUsual(facts),
  };
  return raised(found);
}

/** False for a payee that was never paid: it has no usual amount. */
const isAboveUsual = ({ paid, amount }: PayeeFacts): boolean =>
  paid.length > 0 && paid.every((earlier) => compareDecimals(amount, times(earlier, USUAL_TIMES)) === 1);

const times = (amount: string, n: number): string => sumDecimals(Array<string>(n).fill(amount));

/** How a reading differs from the payout's first one. */
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

/** The payee's name from its detail fields (named as the bank names them); undefined if they hold none. */
export function payeeName(items: Readonly<Record<string, string | undefined>>): string | undefined {
  const { account_name: account, company_name: company, first_name: first = '', last_name: last = '' } = items;
  const name = [company, account, `${first} ${last}`].find((text) => text !== undefined && text.trim() !== '');
  return name?.trim();
}

/** Country where the payee is paid: of the IBAN, else of the BIC, else the one named. */
export function payeeCountry(items: Readonly<Record<string, string | undefined>>): string | undefined {
  const { iban_no: iban, swift_code: bic, region_country: region } = items;
  const country = [iban?.slice(0, 2), bic?.slice(4, 6), region].find((text) => text !== undefined && text !== '');
  return country?.toUpperCase();
}
