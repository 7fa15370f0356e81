import type { PayoutInstruction } from './instruction.ts';
import type { PayoutKind } from './names.ts';
import { type ApprovalRule, approvalsNeeded, type RuledPayout } from './policy.ts';

/**
 * Who may move money, and what they have said about it. A decision counts because a person of the policy has signed it, whoever
 * carries it: a signal, an update or a row of a store is only the carrier.
 */

/**
 * `maker`: hands payouts over. `approver`: decides on them. `compliance`: clears what a screening has found. `operator`: resolves,
 * switches. `auditor`: reads.
 */
export const ROLES = ['maker', 'approver', 'compliance', 'operator', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** What a person may touch; an absent list is every one. */
export interface Scope {
  kinds?: readonly PayoutKind[];
  uids?: readonly string[];
  accounts?: readonly string[];
  currencies?: readonly string[];
}

export interface Credential {
  /** Of a passkey the one that its authenticator gave it, base64url; else the first 16 hex digits of the SHA-256 of the public key. */
  id: string;
  type: 'ed25519' | 'passkey';
  /** Of a passkey a COSE key, base64url; else the raw key, base64. */
  publicKey: string;
}

export interface Person {
  name: string;
  roles: readonly Role[];
  scope: Scope;
  credentials: readonly Credential[];
  /** With which programs speak for the person over HTTP. */
  tokens: readonly Token[];
}

export interface Token {
  /** Hex; the token itself is kept nowhere. */
  sha256: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** The most that may leave in 24 hours, by amounts handed to the bank in one currency. */
export interface Limit {
  per: 'day' | 'payee' | 'account';
  /** Of which it counts what is sent; absent: of every kind. */
  kinds?: readonly PayoutKind[];
  currency: string;
  /** Decimal. */
  amount: string;
}

export interface Policy {
  /** SHA-256 of the file, hex: names the policy in the audit. */
  hash: string;
  /** Of the pages of the gateway; passkeys sign for it and no other. */
  origin?: string;
  people: readonly Person[];
  approvals: readonly ApprovalRule[];
  /** How long an approval holds after it was signed, ms. */
  approvalTtlMs: number;
  limits: readonly Limit[];
}

/** What a decision is about. `screening`: a hold for what a screening says. `make`: handing a payout over. */
export type Question = 'payout' | 'bank' | 'hold' | 'screening' | 'resolve' | 'make' | 'switch';

/** What one signature may decide for many payouts. */
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
  /** Random UUID: a decision counts once. */
  id: string;
  /** Id of the store whose payout it is: what is signed for a trial counts nowhere else. */
  storeId: string;
  question: Question;
  decision: 'approve' | 'reject';
  /** Of the payout; of many at once the batch id; of a switch, what it is about. */
  reference: string;
  /** Digest of what is decided, of many payouts their plan (`src/signing/plan.ts`); of `resolve` and `switch` the action in words. */
  digest: string;
  /** Name of the person in the policy. */
  subject: string;
  /** Why; a rejection needs it. */
  remark: string;
  signedAt: number;
  expiresAt: number;
}

export interface SignedDecision extends Statement {
  /** Of the credential it is signed with. */
  credential: string;
  /** Over `statementBytes`, base64; of a passkey see `src/signing/passkey.ts`. */
  signature: string;
}

/** Whether a value that came from anywhere has the shape of a signed decision. */
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
/** A passkey signs what a browser writes down, whose length it does not bound. */
const SIGNATURE_MAX = 4_000;

/** Of a payout, a transfer or an exchange, what a scope is compared with. */
export interface Touches {
  kind: PayoutKind;
  uid: string;
  accounts: readonly string[];
  currencies: readonly string[];
}

/** What an instruction names. `sold`: the currency that an exchange by itself sells, where that is known. */
export function touchesOf(
  kind: PayoutKind,
  { uid, account_id: from, to_account_id: to, currency }: PayoutInstruction,
  sold?: string,
): Touches {
  return {
    kind,
    uid,
    accounts: to === undefined ? [from] : [from, to],
    currencies: sold === undefined ? [currency] : [currency, sold],
  };
}

/** How far a signer's clock may be ahead of ours. */
const CLOCK_AHEAD_MS = 60_000;

export const personOf = ({ people }: Policy, name: string | null): Person | undefined =>
  people.find((person) => person.name === name);

/** Nobody may do what no role and scope allows. */
export function may(person: Person | undefined, question: Question, touches?: Touches): boolean {
  if (person === undefined || !person.roles.includes(ROLE_FOR[question])) return false;
  return touches === undefined || isWithin(person.scope, touches);
}

/** Whether nothing at all lies outside a scope. */
export const holdsAll = (scope: Scope): boolean => Object.values(scope).every((list) => list === undefined);

/** A card payment is no user's, and on no account of ours: a scope holds it by its currency. */
export const mayOperateCard = (person: Person | undefined, { currency }: { currency: string }): boolean =>
  may(person, 'resolve') && (person?.scope.currencies ?? [currency]).includes(currency);

/** Whether everything that is touched lies in a scope. */
export function isWithin({ kinds, uids, accounts, currencies }: Scope, touched: Touches): boolean {
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
 * Why a signed statement counts for nothing here and now; undefined when it counts. The signature itself is for whoever has the
 * cryptography (`src/signing`). A rejection that was taken in time stands for good: whoever has said no is not asked to repeat it.
 */
export function refusalOfStatement(
  policy: Policy,
  signed: SignedDecision,
  { storeId, now, touches, isTaken }: { storeId: string; now: number; touches?: Touches; isTaken?: boolean },
): string | undefined {
  const { subject, question, signedAt, expiresAt, decision, remark } = signed;
  const person = personOf(policy, subject);
  if (person === undefined) return 'the policy names no such person';
  if (!may(person, question)) return `this needs the role "${ROLE_FOR[question]}"`;
  if (!may(person, question, touches)) return 'it is outside the scope that the policy gives this person';
  if (signed.storeId !== storeId) return 'it was signed for another store';
  if (signedAt > now + CLOCK_AHEAD_MS) return 'it was signed in the future';
  const isExpired = expiresAt <= now || expiresAt - signedAt > policy.approvalTtlMs;
  if (isExpired && !(isTaken && decision === 'reject')) return 'it has expired';
  if (decision === 'reject' && remark.trim() === '') return 'a rejection needs a remark';
  return undefined;
}

export type Asked = RuledPayout & Required<Pick<RuledPayout, 'accountId' | 'changedPayee'>>;

/** How many distinct people the policy asks for before a payout is sent, or at the bank. */
export const approvalsAsked = ({ approvals }: Policy, asked: Asked, where: 'before-submit' | 'at-bank'): number =>
  approvalsNeeded(
    approvals.filter((rule) => rule.where === 'both' || (rule.where ?? 'before-submit') === where),
    asked,
  );
