import type { WorkerSettings } from '../../config/settings.ts';
import { consider, type Verdict } from '../../domain/approval.ts';
import {
  may,
  personOf,
  type Question,
  refusalOfStatement,
  type SignedDecision,
  type Touches,
  touchesOf,
} from '../../domain/authority.ts';
import type { Assessment } from '../../domain/gates.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import { isSigned } from '../../signing/is-signed.ts';
import { isPlanned } from '../../signing/plan.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';

/** What a verdict is made of. */
export interface Authority {
  store: Store;
  settings: Pick<WorkerSettings, 'policy'>;
  now: () => number;
}

/** What is decided about a payout, and how many distinct people it takes. */
export interface SignedQuestion {
  question: Extract<Question, 'payout' | 'bank' | 'hold' | 'screening'>;
  digest: string;
  needed: number;
}

/** What a scope is compared with. */
export const touches = ({ kind, instruction, assessed }: PayoutRecord): Touches =>
  touchesOf(kind, instruction, kind === 'exchange' ? assessed?.exchange?.sellCurrency : undefined);

/** Why what somebody is said to have signed counts for nothing here and now; undefined when it counts. `isTaken`: it did once. */
export async function voidBecause(
  { store, settings: { policy }, now }: Authority,
  signed: SignedDecision,
  touched?: Touches,
  { isTaken = false } = {},
): Promise<string | undefined> {
  if (policy === undefined) return 'no policy says who may decide';
  const why = refusalOfStatement(policy, signed, { storeId: store.id, now: now(), touches: touched, isTaken });
  return why ?? ((await isSigned(policy, signed)) ? undefined : 'the signature is not that of the person it names');
}

/**
 * What people have decided by what they have signed: every decision that is stored is verified again, in the order in which they
 * came, and the first verdict stands. Nobody's word counts for it, not even our own workflow's.
 */
export async function verdictOn(
  authority: Authority,
  row: PayoutRecord,
  { question, digest, needed }: SignedQuestion,
): Promise<Verdict> {
  const { store, settings, now } = authority;
  const { by } = row;
  let awaited = {
    kind: question,
    digest,
    needed,
    maker: by ?? undefined,
    expiresAt: undefined,
    approvedBy: [] as readonly string[],
  };
  if (settings.policy === undefined) return { verdict: 'refused', why: 'no policy says who may decide' };
  for (const signed of await signedAbout(store, row, { question, digest })) {
    if ((await voidBecause(authority, signed, touches(row), { isTaken: true })) !== undefined) continue;
    const { decision, subject, remark } = signed;
    const verdict = consider(awaited, { decision, by: subject, remark, digest }, now());
    if (verdict.verdict === 'approved' || verdict.verdict === 'rejected') return verdict;
    if (verdict.verdict === 'counted') awaited = { ...awaited, approvedBy: verdict.awaited.approvedBy };
  }
  return { verdict: 'counted', awaited };
}

/**
 * What people have signed about a question of a row, for it alone or for the rows of a plan that it is proven to be in, in the order
 * in which it came. A plan approves what was planned and does not ask for itself; it rejects the row, whatever is read of it since,
 * and what it is held for with it. A screening is for others to decide.
 */
async function signedAbout(
  store: Store,
  { reference, batchId, assessed }: PayoutRecord,
  { question, digest }: Pick<SignedQuestion, 'question' | 'digest'>,
): Promise<SignedDecision[]> {
  const own = await store.signedDecisionsOf({ reference, question, digest });
  if (batchId === null || question === 'screening') return own;
  const approves = (rowDigest: string): boolean =>
    question !== 'hold' && rowDigest === digest && assessed?.asksAlone !== true;
  const asked = question === 'hold' ? 'payout' : question;
  const planned = (await store.plannedDecisionsOf({ batchId, reference, question: asked }))
    .filter(({ decision, rowDigest }) => decision === 'reject' || approves(rowDigest))
    .filter((plan) => isPlanned(plan.digest, { reference, digest: plan.rowDigest }, plan.inclusion));
  return [...own, ...planned].sort((a, b) => a.takenAt - b.takenAt || (a.id < b.id ? -1 : 1));
}

/** Whether somebody handed it over who may, by the policy as it is now; true without one. */
export const isMakerAllowed = ({ settings: { policy } }: Pick<Authority, 'settings'>, row: PayoutRecord): boolean =>
  policy === undefined || may(personOf(policy, row.by), 'make', touches(row));

/**
 * Whether a payout may leave as far as people are concerned: somebody who may hand it over has done so, and, where people must
 * decide, they have. True without a policy: then names are believed, and somebody else compares them.
 */
export async function maySend(authority: Authority, row: PayoutRecord, asked: SignedQuestion): Promise<boolean> {
  if (authority.settings.policy === undefined) return true;
  if (!isMakerAllowed(authority, row)) return false;
  if (asked.needed === 0) return !(await isRejected(authority, row, { ...asked, needed: NOBODY_KNOWS }));
  return (await verdictOn(authority, row, asked)).verdict === 'approved';
}

/** How many it took to approve what nobody is asked about: however many have, a rejection counts. */
const NOBODY_KNOWS = Number.POSITIVE_INFINITY;

const isRejected = async (authority: Authority, row: PayoutRecord, asked: SignedQuestion): Promise<boolean> =>
  (await verdictOn(authority, row, asked)).verdict === 'rejected';

/**
 * What asks fewer people than it did, or nobody, but was rejected before enough had approved, asks: so it hears of that, and ends by
 * it. A rejection may be signed ahead, for a plan, or be told while no run could end the payout.
 */
export async function rejectedAhead(
  authority: Authority,
  row: PayoutRecord,
  { approvalsNeeded, digest }: Pick<Assessment, 'approvalsNeeded' | 'digest'>,
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

/** The same for what its last reading shows: before it is submitted, somebody has signed for each exception too. */
export async function maySubmit(authority: Authority, row: PayoutRecord): Promise<boolean> {
  if (authority.settings.policy === undefined) return true;
  if (row.assessed === null) return false;
  const { digest, approvalsNeeded: needed, exceptions = [] } = row.assessed;
  for (const exception of exceptions) {
    const asked = { question: questionOfHold(exception.reason), digest: exception.digest, needed: 1 };
    const { verdict } = await verdictOn(authority, row, asked);
    if (verdict !== 'approved') return false;
  }
  return maySend(authority, row, { question: 'payout', digest, needed });
}

/** Why a signed decision is not taken, or the verdict with it. It is stored before it counts; a refusal is in the audit. */
export async function takeDecision(
  authority: Authority,
  row: PayoutRecord,
  asked: SignedQuestion,
  signed: SignedDecision,
): Promise<Verdict> {
  const { store, now } = authority;
  const refused = async (why: string): Promise<Verdict> => {
    await auditRefusal(authority, row.reference, signed, why);
    return { verdict: 'refused', why };
  };
  if (signed.reference !== row.reference || signed.question !== asked.question)
    return refused('it is about something else');
  if (signed.digest !== asked.digest) return refused('the digest is not the one in force');
  const why = await voidBecause(authority, signed, touches(row));
  if (why !== undefined) return refused(why);
  const before = await verdictOn(authority, row, asked);
  if (before.verdict === 'counted') {
    const { subject: by, decision, remark, digest } = signed;
    const alone = consider(before.awaited, { decision, by, remark, digest }, now());
    if (alone.verdict === 'refused') return refused(alone.why);
  }
  if (!(await store.takeSignedDecision(signed, now()))) return refused('this decision was already submitted');
  return verdictOn(authority, row, asked);
}

/** Somebody has signed it, and it counts for nothing. */
export async function auditRefusal(
  { store, now }: Authority,
  about: string,
  { subject: actor, question, decision, id }: SignedDecision,
  why: string,
): Promise<void> {
  const detail = { why, decisionId: id, question };
  await store.audit({ at: now(), actor, action: `${decision} refused`, subject: about, detail });
}
