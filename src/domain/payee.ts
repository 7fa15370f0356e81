import type { PayoutInstruction } from './instruction.ts';
import { compareDecimals, parseAmount, sumDecimals } from './money.ts';
import type { ReasonCode } from './reasons.ts';
import { DAY_MS } from './time.ts';

/** Fields that identify the paid account or its bank. Their order is part of stored keys (`likeness`). */
export const ACCOUNT_FIELDS = [
  ...(['iban_no', 'account_no', 'aba_routing_code', 'bsb', 'sort_code'] as const),
  ...(['swift_code', 'bank_code', 'branch_code'] as const),
] as const;

/** Column names treated as one field; the bank's required-details name the one it wants (interface section 2). */
export const CITY_FIELDS: readonly string[] = ['address_city', 'address_suburb'];

/** Payee fields that the interface names (section 2), and the usual ones of other countries. */
export const USUAL_PAYEE_FIELDS = [
  ...ACCOUNT_FIELDS,
  ...(['account_name', 'first_name', 'last_name', 'company_name', 'mobile', 'region_country'] as const),
  ...(['address_country', 'address_state', 'address_city', 'address_suburb', 'address_postcode'] as const),
  ...(['address_address1', 'address_address2'] as const),
] as const;

/** What people should check before they decide on a payout, in words. */
export const FLAGS = {
  'new-payee': 'new payee',
  'changed-payee': 'the payee was changed at the bank',
  'payee-of-another-user': 'the bank has the payee under another user',
  'look-alike-name': 'the name looks like that of another payee',
  'first-to-country': 'first payment to this country',
  'above-usual': 'more than 3 times the largest of the recent payments to this payee',
  'payee-differs': 'the payee differs from the first reading',
  'account-differs': 'the paying account differs from the first reading',
  'fee-differs': 'the fee differs from the first reading',
} as const;

export type Flag = keyof typeof FLAGS;

export const flagsText = (flags: readonly Flag[] = []): string => flags.map((flag) => FLAGS[flag]).join(', ');

/** What an assessment read from the bank; an absent member was not shown. */
export interface Shown {
  /** Digest of the payee's details. */
  payee?: string;
  account?: string;
  /** Amount with its currency. */
  fee?: string;
}

/**
 * What a provider is asked about a payee before it is paid. `verification`: whether the account is held under that name
 * (Verification of Payee, Confirmation of Payee). `screening`: whether the payee is on a list of those who must not be paid.
 */
export const CHECK_KINDS = ['verification', 'screening'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** `not-available`: the provider does not know, or did not answer. */
export type VerificationVerdict = 'match' | 'close-match' | 'no-match' | 'not-available';
export type ScreeningVerdict = 'clear' | 'hit' | 'not-available';
export type CheckVerdict = VerificationVerdict | ScreeningVerdict;

/** The verdict on a payout's payee, as part of an assessment. It holds no name. */
export interface PayeeCheck {
  kind: CheckKind;
  verdict: CheckVerdict;
  provider: string;
  /** Digest of the details asked about. */
  payee: string;
  /** Digest of these details and the answer; a decision to pay anyway is bound to it. */
  digest: string;
  /** Epoch ms. */
  askedAt: number;
}

/** Verdicts that stop a payment until people let it through; any other lets it pass. */
const OBJECTIONS: Readonly<Record<CheckKind, Partial<Record<CheckVerdict, ReasonCode>>>> = {
  screening: { hit: 'screening-hit', 'not-available': 'screening-not-available' },
  verification: {
    'no-match': 'payee-no-match',
    'close-match': 'payee-close-match',
    'not-available': 'payee-not-verified',
  },
};

/** Why people must let a payment through in spite of a verdict; undefined if they need not. */
export const objectionOf = ({ kind, verdict }: Pick<PayeeCheck, 'kind' | 'verdict'>): ReasonCode | undefined =>
  OBJECTIONS[kind][verdict];

/** Whether a reading has a verdict of each of these kinds, with any result. */
export const hasVerdicts = (checks: readonly PayeeCheck[] | undefined, kinds: readonly CheckKind[]): boolean =>
  kinds.every((kind) => checks?.some((check) => check.kind === kind) === true);

/** The verification verdict of a reading; undefined if no provider was asked. */
export const verificationIn = (checks: readonly PayeeCheck[] = []): CheckVerdict | undefined =>
  checks.find(({ kind }) => kind === 'verification')?.verdict;

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
export const RECENT_MS = 7 * DAY_MS;
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

/** When two instructions mean the same payment: the same account pays the same amount to the same payee. */

/** Fields that an IBAN already includes; other account numbers need them. */
const IN_AN_IBAN: readonly string[] = ['swift_code', 'bank_code', 'branch_code'];

/** Fields of an instruction, or of a payee at the bank: the names are the same (interface section 1). */
export type PayeeDetails = Readonly<Record<string, string | undefined>>;

/**
 * The payee as a comparable text: the bank's id, or the account named by the fields, ignoring blanks, hyphens and letter case;
 * names, addresses and bank names around them have many spellings.
 * Undefined if the instruction names neither.
 */
function payeeAccount(instruction: PayoutInstruction): string | undefined {
  if (instruction.beneficiary_id !== undefined) return `beneficiary ${instruction.beneficiary_id}`;
  return accountNamed(instruction);
}

function accountNamed(details: PayeeDetails): string | undefined {
  const fields = ACCOUNT_FIELDS.filter((field) => !IN_AN_IBAN.includes(field) || !details.iban_no);
  const named = fields.flatMap((field) => {
    const value = details[field]?.replaceAll(/[\s-]/g, '').toUpperCase();
    return value === undefined || value === '' ? [] : [`${field} ${value}`];
  });
  return named.length === 0 ? undefined : named.join(' ');
}

/** Whether both pay the same amount from the same account to the same payee, however each is written. */
export function sameMoney(one: PayoutInstruction, other: PayoutInstruction): boolean {
  const payee = payeeAccount(one);
  return (
    one.uid === other.uid &&
    one.account_id === other.account_id &&
    one.currency === other.currency &&
    minorAmount(one) === minorAmount(other) &&
    payee !== undefined &&
    payee === payeeAccount(other)
  );
}

/**
 * User, payee, amount and currency as one text; undefined if no payee is named. `details`: what the bank has under the payee's
 * id, so that a row with only the id is like one that names the account.
 */
export function likeness(instruction: PayoutInstruction, details?: PayeeDetails): string | undefined {
  const payee = details === undefined ? payeeAccount(instruction) : accountNamed(details);
  if (payee === undefined) return undefined;
  return JSON.stringify([instruction.uid, payee, minorAmount(instruction), instruction.currency]);
}

/** What a row is a look-alike of, in place of a reference: an order that was not sent from the store. */
const ORDER = 'order/';
export const alikeOrder = (orderId: string): string => `${ORDER}${orderId}`;

/** The id of that order; undefined: it looks like a payout. */
export const orderAlike = (lookAlikeOf: string | null): string | undefined =>
  lookAlikeOf?.startsWith(ORDER) ? lookAlikeOf.slice(ORDER.length) : undefined;

/** Digests that a row may share with a look-alike: of the payee as the row names it, and of the payee's account. */
export const lookAlikeKeys = (row: { lookAlikeKey?: string | null; lookAlikeAccount?: string | null }): string[] =>
  [row.lookAlikeKey, row.lookAlikeAccount].filter((key) => typeof key === 'string');

function minorAmount({ amount, currency }: PayoutInstruction): string {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? `${parsed.minor}` : amount;
}
