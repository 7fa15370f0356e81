import type { PayoutInstruction } from './instruction.ts';
import type { PayoutKind } from './names.ts';
import { type ApprovalRule, approvalsNeeded, type Per, type RuledPayout } from './policy.ts';

/**
 * Who may move money, and what they have decided. Under a policy a decision counts because a person it names has signed it; a
 * signal, an update or a row of the store only carries it.
 */

/**
 * `maker` submits payouts, `approver` decides on them, `compliance` clears screening hits, `operator` resolves and switches,
 * `auditor` reads.
 */
export const ROLES = ['maker', 'approver', 'compliance', 'operator', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** What a person may act on; an absent list means no restriction. */
export interface Scope {
  kinds?: readonly PayoutKind[];
  uids?: readonly string[];
  accounts?: readonly string[];
  currencies?: readonly string[];
}

export interface Credential {
  /** For a passkey its credential id, base64url; otherwise the first 16 hex digits of the SHA-256 of the public key. */
  id: string;
  type: 'ed25519' | 'passkey';
  /** For a passkey a COSE key, base64url; otherwise the raw key, base64. */
  publicKey: string;
}

export interface Person {
  name: string;
  roles: readonly Role[];
  scope: Scope;
  credentials: readonly Credential[];
  /** Payouts in this name need no signature of the maker: for programs and drop folders, which have no key. */
  unsigned?: boolean;
  /** With these, programs act for the person over HTTP. */
  tokens: readonly Token[];
}

export interface Token {
  /** Hex; the token itself is not stored. */
  sha256: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** The most that may leave within some hours, summed over amounts sent to the bank in one currency. */
export interface Limit {
  per: Per;
  /** Absent: 24. */
  hours?: number;
  /** Kinds that count towards it; absent: every kind. */
  kinds?: readonly PayoutKind[];
  currency: string;
  /** Decimal. */
  amount: string;
}

export interface Policy {
  /** SHA-256 of the policy file, hex; identifies the policy in the audit. */
  hash: string;
  /** Origin of the gateway's pages; passkeys sign for this origin only. */
  origin?: string;
  people: readonly Person[];
  approvals: readonly ApprovalRule[];
  /** How long a signed approval stays valid, ms. */
  approvalTtlMs: number;
  limits: readonly Limit[];
}

/** What a decision is about. `screening`: a hold because of a screening. `make`: submitting a payout. */
export type Question = 'payout' | 'bank' | 'hold' | 'screening' | 'resolve' | 'make' | 'switch';

/** Questions that one signature may decide for many payouts. */
export type PlanQuestion = Extract<Question, 'payout' | 'bank'>;

const ROLE_FOR: Readonly<Record<Question, Role>> = {
  payout: 'approver',
  bank: 'approver',
  hold: 'approver',
  screening: 'compliance',
  resolve: 'operator',
  make: 'maker',
  switch: 'operator',
};

/** What a person signs. Times are epoch ms. */
export interface Statement {
  /** Random UUID, so that a decision counts only once. */
  id: string;
  /** Id of the store that has the payout, so that a decision signed in a trial counts nowhere else. */
  storeId: string;
  question: Question;
  decision: 'approve' | 'reject';
  /** Reference of the payout; the batch id for many payouts; for a switch, what is switched. */
  reference: string;
  /**
   * Digest of what is decided; for many payouts that of their plan (`src/people/signing/plan.ts`); for `resolve` and `switch` the action
   * in words.
   */
  digest: string;
  /** Name of the person in the policy. */
  subject: string;
  /** Why; required for a rejection. */
  remark: string;
  signedAt: number;
  expiresAt: number;
}

export interface SignedDecision extends Statement {
  /** Id of the credential used to sign. */
  credential: string;
  /** Over `statementBytes`, base64; for a passkey see `src/people/signing/passkey.ts`. */
  signature: string;
}

/** Whether an untrusted value has the shape of a signed decision. */
export function isDecision(value: unknown): value is SignedDecision {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Partial<Record<keyof SignedDecision, unknown>>;
  const { signedAt, expiresAt, question, decision } = given;
  const { signature, credential } = given;
  const texts = [given.id, given.storeId, given.reference, given.digest, given.subject, given.remark];
  return (
    texts.every((text) => typeof text === 'string' && text.length <= TEXT_MAX) &&
    [signature, credential].every((text) => typeof text === 'string' && text.length <= SIGNATURE_MAX) &&
    Number.isSafeInteger(signedAt) &&
    Number.isSafeInteger(expiresAt) &&
    (decision === 'approve' || decision === 'reject') &&
    typeof question === 'string' &&
    Object.hasOwn(ROLE_FOR, question)
  );
}

const TEXT_MAX = 1_000;
/** A passkey's `signature` includes client data written by the browser, which has no maximum length. */
const SIGNATURE_MAX = 4_000;

/** The facts of a payout, transfer or exchange that a scope is compared with. */
export interface ScopeFacts {
  kind: PayoutKind;
  uid: string;
  accounts: readonly string[];
  currencies: readonly string[];
}

/** What the bank shows of a row beside its instruction, as far as it was read. */
interface OtherLeg {
  /** Currency sold for that of the row. */
  soldCurrency?: string;
  /** The account that pays, if it is not the one that the row names. */
  payingAccountId?: string;
}

/** What an instruction touches: each account and currency of all its legs, once. */
export function scopeFactsOf(
  kind: PayoutKind,
  { uid, account_id: from, to_account_id: to, currency }: PayoutInstruction,
  { soldCurrency, payingAccountId }: OtherLeg = {},
): ScopeFacts {
  const each = (values: readonly (string | undefined)[]): string[] => [
    ...new Set(values.filter((value) => value !== undefined)),
  ];
  return { kind, uid, accounts: each([from, to, payingAccountId]), currencies: each([currency, soldCurrency]) };
}

/** How far a signer's clock may be ahead of ours. */
const CLOCK_AHEAD_MS = 60_000;

export const personOf = ({ people }: Policy, name: string | null): Person | undefined =>
  people.find((person) => person.name === name);

/** Whether the person has the role that the question needs and everything touched is within their scope. */
export function may(
  person: Pick<Person, 'roles' | 'scope'> | undefined,
  question: Question,
  touches?: ScopeFacts,
): boolean {
  if (person === undefined || !person.roles.includes(ROLE_FOR[question])) return false;
  return touches === undefined || isWithin(person.scope, touches);
}

/** Whether a scope has no restriction. */
export const holdsAll = (scope: Scope): boolean => Object.values(scope).every((list) => list === undefined);

/** A scope of kinds, users or accounts holds no card payment: it has none of them. */
export const mayMakeCard = (person: Person | undefined, { currency }: { currency: string }): boolean => {
  const { kinds, uids, accounts, currencies = [currency] } = person?.scope ?? {};
  return may(person, 'make') && !kinds && !uids && !accounts && currencies.includes(currency);
};

/** A card payment is no user's, and on no account of ours: a scope holds it by its currency. */
export const mayOperateCard = (
  person: Pick<Person, 'roles' | 'scope'> | undefined,
  { currency }: { currency: string },
): boolean => may(person, 'resolve') && (person?.scope.currencies ?? [currency]).includes(currency);

export function isWithin({ kinds, uids, accounts, currencies }: Scope, touched: ScopeFacts): boolean {
  const holds = (list: readonly string[] | undefined, values: readonly string[]): boolean =>
    list === undefined || values.every((value) => list.includes(value));
  return (
    holds(kinds, [touched.kind]) &&
    holds(uids, [touched.uid]) &&
    holds(accounts, touched.accounts) &&
    holds(currencies, touched.currencies)
  );
}

/**
 * Why a signed statement does not count here and now; undefined if it does. The signature itself is verified in `src/people/signing`. A
 * rejection, or what its maker has signed, never expires once it was accepted in time (`isTaken`): nobody has to repeat it, and a
 * payout may be for next year.
 */
export function refusalOfStatement(
  policy: Policy,
  signed: SignedDecision,
  { storeId, now, touches, isTaken }: { storeId: string; now: number; touches?: ScopeFacts; isTaken?: boolean },
): string | undefined {
  const { subject, question, signedAt, expiresAt, decision, remark } = signed;
  const person = personOf(policy, subject);
  if (person === undefined) return 'the policy names no such person';
  if (!may(person, question)) return `this needs the role "${ROLE_FOR[question]}"`;
  if (!may(person, question, touches)) return 'it is outside the scope that the policy gives this person';
  if (signed.storeId !== storeId) return 'it was signed for another store';
  if (signedAt > now + CLOCK_AHEAD_MS) return 'it was signed in the future';
  const isExpired = expiresAt <= now || expiresAt - signedAt > policy.approvalTtlMs;
  if (isExpired && !(isTaken && (decision === 'reject' || question === 'make'))) return 'it has expired';
  if (decision === 'reject' && remark.trim() === '') return 'a rejection needs a remark';
  return undefined;
}

export type Asked = RuledPayout & Required<Pick<RuledPayout, 'accountId' | 'changedPayee'>>;

/** How many distinct people must approve under the policy, before a payout is sent or at the bank. */
export const approvalsAsked = ({ approvals }: Policy, asked: Asked, where: 'before-submit' | 'at-bank'): number =>
  approvalsNeeded(
    approvals.filter((rule) => rule.where === 'both' || (rule.where ?? 'before-submit') === where),
    asked,
  );
