import {
  type AwaitedApproval,
  consider,
  decidesAs,
  may,
  type Policy,
  personAt,
  personOf,
  type Question,
  refusalOfStatement,
  type ScopeFacts,
  type SignedDecision,
  scopeFactsOf,
  type Verdict,
} from '../../domain/authority.ts';
import type { Assessment } from '../../domain/gates.ts';
import { madeDigest, referenceOf } from '../../domain/identity.ts';
import { mainOrderKindOf } from '../../domain/names.ts';
import type { WorkerSettings } from '../../domain/settings.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { isRowOfPlan } from '../signing/signed-plan.ts';
import { isSigned } from '../signing/signing.ts';

export interface VerdictDeps {
  store: Store;
  settings: WorkerSettings;
  now: () => number;
}

/** A question about a payout, and how many distinct people must approve. */
export interface SignedQuestion {
  question: Extract<Question, 'payout' | 'bank' | 'hold' | 'screening'>;
  digest: string;
  needed: number;
  /** One signature for many payouts does not approve this one. */
  alone?: boolean;
}

/** What a row touches by its last reading, to compare with a person's scope. */
export const scopeFactsOfRow = ({ kind, instruction, assessed }: PayoutRecord): ScopeFacts => {
  const { soldCurrency = assessed?.exchange?.sellCurrency, payingAccountId } = assessed ?? {};
  return scopeFactsOf(kind, instruction, { soldCurrency, payingAccountId });
};

/** Why a signed decision does not count here and now; undefined if it counts. `isTaken`: it was accepted before. */
export async function whyDecisionIsVoid(
  { store, settings: { policy }, now }: VerdictDeps,
  signed: SignedDecision,
  touched?: ScopeFacts,
  { isTaken = false } = {},
): Promise<string | undefined> {
  if (policy === undefined) return 'no policy says who may decide';
  const why = refusalOfStatement(policy, signed, { storeId: store.id, now: now(), touches: touched, isTaken });
  return why ?? ((await isSigned(policy, signed)) ? undefined : 'the signature is not that of the person it names');
}

/**
 * The verdict of the stored decisions: each signature is verified again, in the order they were taken, and the first verdict
 * counts. Nobody's word is enough, not even our own workflow's.
 */
export async function verdictOn(
  authority: VerdictDeps,
  row: PayoutRecord,
  { question, digest, needed, alone }: SignedQuestion,
  touched = scopeFactsOfRow(row),
): Promise<Verdict> {
  const { store, settings, now } = authority;
  const { by } = row;
  const { policy } = settings;
  const maker = by ?? undefined;
  let awaited: AwaitedApproval = { kind: question, digest, needed, maker, expiresAt: undefined, approvedBy: [] };
  if (policy === undefined) return { verdict: 'refused', why: 'no policy says who may decide' };
  for (const signed of await signedAbout(store, row, { question, digest, alone })) {
    if ((await whyDecisionIsVoid(authority, signed, touched, { isTaken: true })) !== undefined) continue;
    const verdict = considerSigned(policy, awaited, { ...signed, digest }, touched, now());
    if (verdict.verdict === 'approved' || verdict.verdict === 'rejected') return verdict;
    if (verdict.verdict === 'counted') awaited = verdict.awaited;
  }
  return { verdict: 'counted', awaited };
}

/** Applies what was signed, in the first name in which it counts: the signer's, else of one that they stood in for. */
function considerSigned(
  policy: Policy,
  awaited: AwaitedApproval,
  { question, decision, subject: by, remark, digest, signedAt, takenAt }: SignedDecision & { takenAt?: number },
  touches: ScopeFacts,
  now: number,
): Verdict {
  const namesAt = (at: number): readonly string[] =>
    decidesAs(personAt(policy, by, at), question, { maker: awaited.maker ?? null, touches });
  // When it was signed is the signer's own word: in a name that counts when it arrives as well.
  const arrived = namesAt(takenAt ?? now);
  const names = namesAt(signedAt).filter((name) => arrived.includes(name));
  const given = { decision, by, remark, digest };
  const verdicts = names.map((name) => consider(awaited, name === by ? given : { ...given, for: name }, now));
  const maker: Verdict = { verdict: 'refused', why: 'the maker may not approve' };
  return verdicts.find(({ verdict }) => verdict !== 'refused') ?? verdicts[0] ?? maker;
}

/**
 * Signed decisions about a question of a row, its own and those of plans it is proven to be in, in the order they were taken. A
 * plan approves a row only under the digest it was planned with and only if the row needs no separate decision; it rejects the
 * row after any later read, and rejects what the row is held for. Screenings are never decided by a plan.
 */
async function signedAbout(
  store: Store,
  { reference, batchId }: PayoutRecord,
  { question, digest, alone }: Omit<SignedQuestion, 'needed'>,
): Promise<(SignedDecision & { takenAt: number })[]> {
  const own = await store.signedDecisionsOf({ reference, question, digest });
  if (batchId === null || question === 'screening') return own;
  const approves = (rowDigest: string): boolean => question !== 'hold' && rowDigest === digest && alone !== true;
  const asked = question === 'hold' ? 'payout' : question;
  const planned = (await store.plannedDecisionsOf({ batchId, reference, question: asked }))
    .filter(({ decision, rowDigest }) => decision === 'reject' || approves(rowDigest))
    .filter((plan) => isRowOfPlan(plan.digest, { reference, digest: plan.rowDigest }, plan.inclusion));
  return [...own, ...planned].sort((a, b) => a.takenAt - b.takenAt || (a.id < b.id ? -1 : 1));
}

/** Approvals needed where nobody is asked: no number of approvals outweighs a rejection. */
const NOBODY_KNOWS = Number.POSITIVE_INFINITY;

/** Whether somebody rejected it before as many had approved as are needed, or, where nobody is asked, at all. */
export const isRejected = async (
  authority: VerdictDeps,
  row: PayoutRecord,
  asked: SignedQuestion,
  touched?: ScopeFacts,
): Promise<boolean> => {
  const needed = asked.needed === 0 ? NOBODY_KNOWS : asked.needed;
  return (await verdictOn(authority, row, { ...asked, needed }, touched)).verdict === 'rejected';
};

/**
 * Raises `approvalsNeeded` if the question asks fewer people than before, or nobody, but was rejected before enough had approved:
 * so the payout asks, receives it and ends. A rejection may be signed ahead (plan) or come while no run could end the payout.
 */
export async function raisedIfRejected(
  authority: VerdictDeps,
  row: PayoutRecord,
  { approvalsNeeded, digest }: Assessment,
): Promise<Partial<Pick<Assessment, 'approvalsNeeded' | 'asked'>>> {
  const { policy } = authority.settings;
  if (policy === undefined) return {};
  const asked = askedSoFar(row);
  const needed = approvalsNeeded === 0 ? NOBODY_KNOWS : (asked?.[digest] ?? 0);
  if (needed <= approvalsNeeded || !(await isRejected(authority, row, { question: 'payout', digest, needed })))
    return { asked };
  // More than can have approved before the rejection.
  return { asked, approvalsNeeded: policy.people.length + 1 };
}

const askedSoFar = ({ assessed }: PayoutRecord): Assessment['asked'] =>
  assessed === null || assessed.approvalsNeeded === 0
    ? assessed?.asked
    : { ...assessed.asked, [assessed.digest]: assessed.approvalsNeeded };

/** Who has approved the row's open question; empty if it asks nothing. */
export async function approvedBy(
  authority: VerdictDeps,
  row: PayoutRecord,
  asked: SignedQuestion | undefined,
): Promise<readonly string[]> {
  if (asked === undefined) return [];
  const { settings, store } = authority;
  if (settings.policy === undefined) return store.approvalsOf(row.reference, asked.digest);
  const verdict = await verdictOn(authority, row, asked);
  return 'awaited' in verdict ? verdict.awaited.approvedBy : [];
}

/** Verifies a signed decision and stores it before it counts. Returns the verdict with it; a refusal is in the audit. */
export async function takeDecision(
  authority: VerdictDeps,
  row: PayoutRecord,
  asked: SignedQuestion,
  signed: SignedDecision,
): Promise<Verdict> {
  const why = await refusalOfDecision(authority, row, asked, signed);
  const { store, settings, now } = authority;
  const inPlaceOf = absentFor(settings.policy, signed, { maker: row.by, touches: scopeFactsOfRow(row) });
  const take = () => store.takeSignedDecision(signed, now(), inPlaceOf);
  const refused = await takeOrRefuse(why, authority, signed, { about: row.reference, take });
  return refused === undefined ? verdictOn(authority, row, asked) : { verdict: 'refused', why: refused };
}

/** For whom somebody decides who may not decide by themselves; undefined: they may. */
export function absentFor(
  policy: Policy | undefined,
  { subject, question, signedAt }: SignedDecision,
  about: Parameters<typeof decidesAs>[2],
): string | undefined {
  const names = policy === undefined ? [] : decidesAs(personAt(policy, subject, signedAt), question, about);
  return names.length === 0 || names.includes(subject) ? undefined : names.join(' or ');
}

async function refusalOfDecision(
  authority: VerdictDeps,
  row: PayoutRecord,
  asked: SignedQuestion,
  signed: SignedDecision,
): Promise<string | undefined> {
  const { question, digest } = signed;
  if (signed.reference !== row.reference || question !== asked.question) return 'it is about something else';
  if (digest !== asked.digest) return 'the digest is not the one in force';
  const why = await whyDecisionIsVoid(authority, signed, scopeFactsOfRow(row));
  if (why !== undefined) return why;
  const before = await verdictOn(authority, row, asked);
  if (before.verdict !== 'counted') return undefined;
  const { policy } = authority.settings;
  if (policy === undefined) return 'no policy says who may decide';
  const alone = considerSigned(policy, before.awaited, signed, scopeFactsOfRow(row), authority.now());
  return alone.verdict === 'refused' ? alone.why : undefined;
}

/** Stores a signed decision before it is carried out. Returns why it does not count, which is then in the audit. */
export const storeDecision = async (
  authority: VerdictDeps,
  signed: SignedDecision,
  touched?: ScopeFacts,
): Promise<string | undefined> => takeOrRefuse(await whyDecisionIsVoid(authority, signed, touched), authority, signed);

/**
 * Stores what was signed, unless something speaks against it (`why`) or it is there already. Returns the refusal, which is then
 * in the audit.
 */
export async function takeOrRefuse(
  why: string | undefined,
  { store, now }: VerdictDeps,
  signed: SignedDecision,
  {
    about = signed.reference,
    take = () => store.takeSignedDecision(signed, now()),
  }: { about?: string; take?: () => Promise<boolean> } = {},
): Promise<string | undefined> {
  if (why === undefined && (await take())) return undefined;
  const refusal = why ?? 'this decision was already submitted';
  const { subject: actor, question, decision, id } = signed;
  const detail = { why: refusal, decisionId: id, question };
  await store.audit({ at: now(), actor, action: `${decision} refused`, subject: about, detail });
  return refusal;
}

/** What the policy in force says of a row's maker, regardless of what the store says of what was allowed when it was claimed. */

/** Whether the maker may hand this row over by the policy in force; true without one. */
export const isMakerAllowed = (
  { settings: { policy } }: VerdictDeps,
  { by }: PayoutRecord,
  touched: ScopeFacts,
): boolean => policy === undefined || may(personOf(policy, by), 'make', touched);

/**
 * Whether its named maker has signed exactly this row, by itself or with its batch, with all that it may sell and the account
 * that pays; or the policy takes rows in that name unsigned. Otherwise anyone who writes to the store may have made or changed it. True without a policy.
 */
export async function isMade(authority: VerdictDeps, row: PayoutRecord, touched: ScopeFacts): Promise<boolean> {
  const { policy } = authority.settings;
  if (policy === undefined) return true;
  if (!isOneDocument(row)) return false;
  if (personOf(policy, row.by)?.unsigned === true) return isMakerAllowed(authority, row, touched);
  if (!isBound(row, touched)) return false;
  const { store } = authority;
  const { reference, batchId, instruction, by } = row;
  const about = { reference, question: 'make', digest: madeDigest(instruction) } as const;
  const planned = batchId === null ? [] : await store.plannedDecisionsOf({ ...about, batchId });
  const ofThisRow = planned.filter(
    ({ digest, rowDigest, inclusion }) =>
      rowDigest === about.digest && isRowOfPlan(digest, { reference, digest: rowDigest }, inclusion),
  );
  for (const signed of [...(await store.signedDecisionsOf(about)), ...ofThisRow]) {
    if (signed.subject !== by || signed.decision !== 'approve') continue;
    if ((await whyDecisionIsVoid(authority, signed, touched, { isTaken: true })) === undefined) return true;
  }
  return false;
}

/** Whether the instruction of a row that sells another currency says how much, and which account pays then. */
function isBound({ kind, instruction }: PayoutRecord, { currencies }: ScopeFacts): boolean {
  const { currency, sell_currency: sold, max_rate: rate, paying_account_id: account } = instruction;
  if (currencies.every((touched) => touched === currency)) return true;
  const sells = sold !== undefined && rate !== undefined && currencies.includes(sold);
  return sells && (kind === 'exchange' || account !== undefined);
}

/**
 * Whether the row is the document under whose reference it is found, with texts and nothing else: its signatures are about that
 * reference, and its orders go out under it. A blank text is refused: its signatures leave it out, but a cap would be none.
 */
export function isOneDocument({ reference, kind, uid, documentId, generation, instruction }: PayoutRecord): boolean {
  const isOf = instruction.uid === uid && instruction.id === documentId;
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const areTexts = Object.values(instruction).every((value) => value === undefined || isText(value));
  return isOf && areTexts && reference === referenceOf(uid, documentId, mainOrderKindOf(kind), generation);
}

/** Whether a payout may be started by hand: its named maker has just signed exactly this instruction. True without a policy. */
export async function isSignedByMaker(
  authority: VerdictDeps,
  { kind, reference, instruction, by }: Pick<PayoutRecord, 'kind' | 'reference' | 'instruction'> & { by?: string },
): Promise<boolean> {
  const { store, settings } = authority;
  if (settings.policy === undefined) return true;
  const touched = scopeFactsOf(kind, instruction);
  const made = await store.signedDecisionsOf({ reference, question: 'make', digest: madeDigest(instruction) });
  for (const signed of made) {
    if (signed.subject === by && (await whyDecisionIsVoid(authority, signed, touched)) === undefined) return true;
  }
  return false;
}
