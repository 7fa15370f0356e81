import type { PayoutInstruction } from './instruction.ts';
import { compareDecimals } from './money.ts';
import { PAYOUT_KINDS, type PayoutKind } from './names.ts';
import { type ApprovalRule, approvalsNeeded, type Per, type RuledPayout } from './policy.ts';
import { nameProblem, textProblem } from './text.ts';

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

export interface Rights {
  roles: readonly Role[];
  scope: Scope;
}

/** Somebody who is away, with the roles in which others decide for them. */
interface Absentee extends Rights {
  name: string;
}

export interface Person extends Rights {
  name: string;
  credentials: readonly Credential[];
  /** What the OpenID Connect provider calls the person: signs in to the pages, and signs nothing. */
  identities?: readonly string[];
  /** Payouts in this name need no signature of the maker: for programs and drop folders, which have no key. */
  unsigned?: boolean;
  /** With these, programs act for the person over HTTP. */
  tokens: readonly Token[];
  /** Whom the person stands in for at some moment (`personAt`). */
  substitutesFor?: readonly Absentee[];
}

/** Who decides while somebody is away, from one moment until before another, epoch ms. */
export interface Substitute {
  name: string;
  for: string;
  from: number;
  until: number;
}

/** Who reads without being named: every account that the sign-in provider has in a group. */
export interface Readers {
  group: string;
  scope: Scope;
}

interface Token {
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
  /** The file; the audit keeps it. It holds no secrets. */
  text: string;
  /** Origin of the gateway's pages; passkeys sign for this origin only. */
  origin?: string;
  people: readonly Person[];
  substitutes?: readonly Substitute[];
  readers?: readonly Readers[];
  approvals: readonly ApprovalRule[];
  /** How long a signed approval stays valid, ms. */
  approvalTtlMs: number;
  limits: readonly Limit[];
  /** Of rows of one file with the same payee, amount and currency, all but the first are held. */
  holdDuplicates?: boolean;
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
export interface Statement extends StatementAbout {
  /** Random UUID, so that a decision counts only once. */
  id: string;
  /** Id of the store that has the payout, so that a decision signed in a trial counts nowhere else. */
  storeId: string;
  decision: 'approve' | 'reject';
  /** Name of the person in the policy. */
  subject: string;
  signedAt: number;
  expiresAt: number;
}

/** What is decided, and why. */
export interface StatementAbout {
  question: Question;
  /** Reference of the payout; the batch id for many payouts; for a switch, what is switched. */
  reference: string;
  /**
   * Digest of what is decided; for many payouts that of their plan (`src/people/signing/signed-plan.ts`); for `resolve` and `switch` the action
   * in words.
   */
  digest: string;
  /** Why; required for a rejection. */
  remark: string;
}

export interface SignedDecision extends Statement {
  /** Id of the credential used to sign. */
  credential: string;
  /** Over `statementBytes`, base64; for a passkey see `src/people/signing/signing.ts`. */
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
interface OtherOrderKind {
  /** Currency sold for that of the row. */
  soldCurrency?: string;
  /** The account that pays, if it is not the one that the row names. */
  payingAccountId?: string;
}

/** What an instruction touches: each account and currency of all its orders, once. */
export function scopeFactsOf(
  kind: PayoutKind,
  { uid, account_id: from, to_account_id: to, currency }: PayoutInstruction,
  { soldCurrency, payingAccountId }: OtherOrderKind = {},
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

/** Others decide for somebody who is away only in these roles: they submit nothing and operate nothing. */
const SUBSTITUTED_ROLES: readonly Role[] = ['approver', 'compliance'];

/** A person with those that they stand in for at a moment; their own substitutes count for nothing. */
export function personAt(policy: Policy, name: string | null, at: number) {
  const { people, substitutes = [] } = policy;
  const person = people.find((it) => it.name === name);
  const away = substitutes.filter((it) => it.name === name && it.from <= at && at < it.until).map((it) => it.for);
  if (person === undefined || away.length === 0) return person;
  const substitutesFor = people
    .filter((it) => away.includes(it.name))
    .map(({ name: whom, roles, scope }) => ({
      name: whom,
      roles: roles.filter((it) => SUBSTITUTED_ROLES.includes(it)),
      scope,
    }));
  return { ...person, substitutesFor };
}

interface Acting extends Rights {
  substitutesFor?: readonly Absentee[];
}

/** The person, and those that they stand in for. */
export const acting = <Their extends Acting>(person: Their): readonly (Their | Absentee)[] => [
  person,
  ...(person.substitutesFor ?? []),
];

/** Whether the person, or somebody they stand in for, has the role that the question needs and everything touched in their scope. */
export const may = (person: Acting | undefined, question: Question, touches?: ScopeFacts): boolean =>
  person !== undefined && acting(person).some((it) => mayBy(it, question, touches));

const mayBy = ({ roles, scope }: Rights, question: Question, touches?: ScopeFacts): boolean =>
  roles.includes(ROLE_FOR[question]) && (touches === undefined || isWithin(scope, touches));

/**
 * In whose name the person may decide about what `maker` has submitted, their own first; empty: in nobody's. Neither the maker nor
 * a substitute in the maker's name decides.
 */
export function decidesAs(
  person: Person | undefined,
  question: Question,
  { maker, touches }: { maker: string | null; touches?: ScopeFacts },
): readonly string[] {
  if (person === undefined || isSamePerson(person.name, maker ?? '')) return [];
  return acting(person)
    .filter((it) => mayBy(it, question, touches) && !isSamePerson(it.name, maker ?? ''))
    .map(({ name }) => name);
}

/** Whether a scope has no restriction. */
export const holdsAll = (scope: Scope): boolean => Object.values(scope).every((list) => list === undefined);

/** A scope of kinds, users or accounts holds no card payment: it has none of them. */
export const mayMakeCard = (person: Person | undefined, { currency }: { currency: string }): boolean => {
  const { kinds, uids, accounts, currencies = [currency] } = person?.scope ?? {};
  return may(person, 'make') && !kinds && !uids && !accounts && currencies.includes(currency);
};

/** A card payment is no user's, and on no account of ours: a scope holds it by its currency. */
export const mayOperateCard = (person: Rights | undefined, { currency }: { currency: string }): boolean =>
  may(person, 'resolve') && (person?.scope.currencies ?? [currency]).includes(currency);

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
  if (personOf(policy, subject) === undefined) return 'the policy names no such person';
  // When it was signed is the signer's own word: a substitute has to be one when it arrives as well.
  for (const at of isTaken ? [signedAt] : [signedAt, now]) {
    const person = personAt(policy, subject, at);
    if (!may(person, question)) return `this needs the role "${ROLE_FOR[question]}"`;
    if (!may(person, question, touches)) return 'it is outside the scope that the policy gives this person';
  }
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

/** A scope in words, by its members. */
export function scopeText({ kinds, uids, accounts, currencies }: Scope): string {
  const parts = [
    ['kind', kinds],
    ['uid', uids],
    ['account', accounts],
    ['currency', currencies],
  ] as const;
  return (
    parts.flatMap(([what, list]) => (list === undefined ? [] : [`${what} ${list.join(' ')}`])).join('; ') ||
    'everything'
  );
}

/** Digests that bind a decision to one question: an answer to one question says nothing about another. */

/** For a hold: bound to its present reason and, if people let a cost through, to how high it may be (`upTo`). */
export const holdDigest = (digest: string, code: string, upTo?: string): string =>
  [digest, code, ...(upTo === undefined ? [] : [upTo])].join('/');

/** For the bank's audit of an order. */
export const bankDigest = (digest: string, orderId: string): string => `${digest}/${orderId}`;

/** For what an operator asks for; these words are signed. */
export const resolveDigest = (action: string, orderId?: string): string => `${action}/${orderId ?? ''}`;

/** What an operator signs who records that an incident was dealt with. */
export const acknowledgementOf = (id: string, remark: string) =>
  ({ question: 'resolve', reference: id, digest: resolveDigest('acknowledge', id), remark }) as const;

/**
 * Who may decide, and when enough people have. One state machine for everything people decide about a payout: our own approval
 * before it is sent, the bank's audit of an order, and a hold, which may be for a screening.
 */

type DecisionKind = 'payout' | 'bank' | 'hold' | 'screening';

export interface AwaitedApproval {
  kind: DecisionKind;
  /** Digest of what is decided; a decision that names another digest is refused. */
  digest: string;
  /** Number of distinct people needed. */
  needed: number;
  maker: string | undefined;
  /** Epoch ms from which decisions are refused; undefined: they do not expire on our side. */
  expiresAt: number | undefined;
  approvedBy: readonly string[];
  /** In whose place some of these have approved: they have approved as well. */
  approvedFor?: readonly string[];
}

export interface Decision {
  decision: 'approve' | 'reject';
  by: string;
  /** Whom a substitute decides for. */
  for?: string;
  remark?: string;
  /** Digest of what is decided, from the query `state`; if given, it must be the one in force. */
  digest?: string;
}

/** A decision as sent to the workflow of a payout. */
export interface DecideUpdate extends Decision {
  decisionId: string;
  /** If the policy requires signatures: the signed decision; absent if it is already stored. */
  signed?: SignedDecision;
}

export type Verdict =
  | { verdict: 'approved'; awaited: AwaitedApproval }
  | { verdict: 'rejected'; by: string; remark: string }
  | { verdict: 'counted'; awaited: AwaitedApproval }
  | { verdict: 'refused'; why: string };

/** Applies one decision. It is refused if nothing is awaited. */
export function consider(awaited: AwaitedApproval | undefined, decision: Decision, now: number): Verdict {
  const refusal = refusalOf(awaited, decision, now);
  if (refusal !== undefined || awaited === undefined)
    return { verdict: 'refused', why: refusal ?? 'nothing is awaited' };
  if (decision.decision === 'reject') return { verdict: 'rejected', by: decision.by, remark: decision.remark ?? '' };
  const { by, for: absent } = decision;
  const { approvedBy, approvedFor = [] } = awaited;
  const inPlace = absent === undefined ? {} : { approvedFor: [...approvedFor, absent] };
  const next = { ...awaited, approvedBy: [...approvedBy, by], ...inPlace };
  return next.approvedBy.length >= awaited.needed
    ? { verdict: 'approved', awaited: next }
    : { verdict: 'counted', awaited: next };
}

/** Why a decision does not count; undefined if it does. */
export function refusalOf(awaited: AwaitedApproval | undefined, decision: Decision, now: number): string | undefined {
  if (awaited === undefined) return 'no approval is awaited';
  const unnamed = nameProblem(decision?.by);
  if (unnamed !== undefined) return `the decision names nobody (${unnamed})`;
  if (hasExpired(awaited, now)) return 'the approval has expired';
  if (decision.digest !== undefined && decision.digest !== awaited.digest) return 'the digest is not the one in force';
  if (decision.decision === 'reject') {
    const unexplained = textProblem('remark', decision.remark);
    return unexplained && `a rejection needs a remark (${unexplained})`;
  }
  if (decision.decision !== 'approve') return 'the decision is neither "approve" nor "reject"';
  if (awaited.kind === 'payout' && awaited.maker === undefined) {
    return 'the maker is unknown, so nobody can be distinguished from the maker';
  }
  const { maker, approvedBy, approvedFor = [] } = awaited;
  const { by, for: absent = by } = decision;
  const isAmong = (names: readonly string[]): boolean =>
    names.some((name) => isSamePerson(by, name) || isSamePerson(absent, name));
  if (maker !== undefined && isAmong([maker])) return 'the maker may not approve';
  if (approvedBy.some((other) => isSamePerson(by, other))) return 'this person has approved already';
  // Nobody counts twice, by themselves and through others.
  if (isAmong([...approvedBy, ...approvedFor])) return `${absent} has approved already, or somebody in their place`;
  return undefined;
}

export const hasExpired = ({ expiresAt }: AwaitedApproval, now: number): boolean =>
  expiresAt !== undefined && now >= expiresAt;

/**
 * The distinct people among `names` other than the maker; empty if the maker is unknown, because then anybody may be the maker.
 */
export function approvers(names: readonly string[], maker: string | null): string[] {
  if (maker === null) return [];
  const people: string[] = [];
  for (const name of names) {
    if (![maker, ...people].some((other) => isSamePerson(other, name))) people.push(name);
  }
  return people;
}

/**
 * Whether two names mean one person: case, character width, the number of blanks and invisible characters are ignored. Letters
 * that look alike are left to the policy, which knows people by their keys.
 */
export function isSamePerson(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

const folded = (name: string): string => tidied(name).toLowerCase();

/** A name without what nobody sees: width of characters, composition, invisible characters, number of blanks. */
export const tidied = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();

/** What makers may submit without a rule that asks for an approval, or without a limit on its sum. */
export interface Unguarded {
  kinds: readonly PayoutKind[];
  /** Absent: every one that the policy does not name. */
  currency?: string;
  /** Absent: every one that the policy does not name. */
  account?: string;
  /** Decimal amount from which somebody must approve, for any payee; absent: nobody ever must. */
  approvedFrom?: string;
  /** Whether a limit per day or account adds it up. One per payee does not: there are many payees. */
  isLimited: boolean;
}

/** Whether a maker alone may pay any sum of it. */
export const isOpen = ({ approvedFrom, isLimited }: Pick<Unguarded, 'approvedFrom' | 'isLimited'>): boolean =>
  !isLimited && (approvedFrom === undefined || compareDecimals(approvedFrom, '0') !== 0);

/** One kind of money in the eyes of a policy: an absent currency or account covers all that it does not name. */
interface Sort {
  kind: PayoutKind;
  currency?: string;
  account?: string;
}

/** Everything within a maker's scope for which the policy has no rule, or no limit. */
export function unguarded(policy: Policy): Unguarded[] {
  const makers = policy.people.filter(({ roles }) => roles.includes('maker'));
  const named = (lists: (readonly string[] | undefined)[]): (string | undefined)[] => [
    ...[...new Set(lists.flatMap((list) => list ?? []))].sort(),
    undefined,
  ];
  const { approvals, limits } = policy;
  const currencies = named([
    ...[...approvals, ...limits].map(({ currency }) => (currency === undefined ? [] : [currency])),
    ...makers.map(({ scope }) => scope.currencies),
  ]);
  const accounts = named([
    ...approvals.map(({ account }) => (account === undefined ? [] : [account])),
    ...makers.map(({ scope }) => scope.accounts),
  ]);
  const sorts = accounts.flatMap((account) =>
    currencies.flatMap((currency) => PAYOUT_KINDS.map((kind): Sort => ({ kind, currency, account }))),
  );
  const lacking = sorts
    .filter((sort) => makers.some((maker) => reaches(maker, sort)))
    .map((sort) => ({ ...sort, approvedFrom: approvedFrom(approvals, sort), isLimited: isLimited(policy, sort) }))
    .filter((guards) => guards.approvedFrom === undefined || !guards.isLimited);
  const alike = Map.groupBy(lacking, ({ kind: _kind, ...rest }) => JSON.stringify(rest));
  return [...alike].map(([rest, same]) => ({ kinds: same.map(({ kind }) => kind), ...JSON.parse(rest) }));
}

/** Whether the maker's scope holds some of it. */
function reaches({ scope }: Person, { kind, currency, account }: Sort): boolean {
  const holds = (list: readonly string[] | undefined, value: string | undefined): boolean =>
    list === undefined || (value !== undefined && list.includes(value));
  return holds(scope.kinds, kind) && holds(scope.currencies, currency) && holds(scope.accounts, account);
}

/** The amount from which somebody must approve before it is sent, for any payee; undefined: nobody ever must. */
function approvedFrom(rules: readonly ApprovalRule[], sort: Sort): string | undefined {
  const [lowest] = rules
    .filter(({ where, newPayee, changedPayee }) => where !== 'at-bank' && newPayee !== true && changedPayee !== true)
    .filter(({ kinds }) => kinds?.includes(sort.kind) ?? true)
    .filter(({ currency }) => currency === undefined || currency === sort.currency)
    .filter(({ account }) => account === undefined || account === sort.account)
    .map(({ amountAtLeast }) => amountAtLeast ?? '0')
    .sort((a, b) => compareDecimals(a, b) ?? 0);
  return lowest;
}

const isLimited = ({ limits }: Policy, { kind, currency }: Sort): boolean =>
  limits.some((limit) => limit.per !== 'payee' && limit.currency === currency && (limit.kinds?.includes(kind) ?? true));
