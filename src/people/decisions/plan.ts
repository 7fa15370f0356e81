import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { isSamePerson, isWithin, type PlanQuestion, personOf, type SignedDecision } from '../../domain/authority.ts';
import type { Assessment } from '../../domain/gates.ts';
import { beneficiaryFields, type PayoutInstruction } from '../../domain/instruction.ts';
import { type Total, Totals } from '../../domain/money.ts';
import type { Flag } from '../../domain/payee.ts';
import { BEFORE_APPROVAL_STATES } from '../../domain/payout-state.ts';
import { inPages } from '../../store/in-pages.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { type PlanRow, signablePlan } from '../signing/plan.ts';
import { type Caps, capsOf } from './asked.ts';
import { foresight, once, type PlanDeps } from './foresee.ts';
import { neededNow, raised } from './let-through.ts';
import { digestShown, openQuestion } from './shown-question.ts';
import { scopeFactsOfRow, takeOrRefuse, type VerdictDeps, verdictOn, whyDecisionIsVoid } from './verdict.ts';

export type { PlanDeps };

/**
 * Why a row is not in a plan: a rule requires a separate decision, it is outside the signer's scope, enough people have approved
 * it, the bank does not show its account or payee, or its stored digest is not that of what is shown.
 */
export const WHY_EXCLUDED = {
  alone: 'the policy requires a separate decision',
  'out-of-scope': 'outside your scope',
  approved: 'approved already; cancel it to stop it',
  'not-shown': 'the bank does not show its account or payee',
  differs: 'its digest is of another reading of the bank, of other settings or of other data',
} as const;

type Exclusion = keyof typeof WHY_EXCLUDED;

/** What one signature decides about a batch, and what the signer must see. */
export interface BatchPlan {
  batchId: string;
  question: PlanQuestion;
  decision: 'approve' | 'reject';
  /** The digest that is signed, with the batch id as the reference. */
  digest: string;
  /** In the order of the file. */
  rows: readonly PlanRow[];
  /** Totals of these rows by currency; amounts are decimal strings. */
  totals: Total[];
  payees: number;
  newPayees: number;
  /** Caps of these rows, and how many rows have them; absent: no cap. */
  caps: PlanCaps[];
  /** Number of rows with each flag. */
  flags: Partial<Record<Flag, number>>;
  /** Rows outside the plan, and why. */
  apart: { reference: string; documentId: string; amount: string; currency: string; why: Exclusion }[];
}

/** Highest fee, a decimal string, and highest slippage of an exchange, as a fraction. */
type PlanCaps = Partial<Caps> & { count: number };

interface PlanAsked extends Pick<BatchPlan, 'batchId' | 'question' | 'decision'> {
  /** Name of the signer. */
  subject: string;
}

type Decision = BatchPlan['decision'];
type Plans<Wanted extends Decision> = Record<Wanted, BatchPlan>;

/**
 * The plan of a batch as it stands: every row that asks this question or will. Writes nothing; the same until something changes.
 */
export const preparePlan = async (deps: PlanDeps, asked: PlanAsked): Promise<BatchPlan> =>
  (await preparePlans(deps, asked, [asked.decision]))[asked.decision];

/** Plans for several decisions from one reading of the bank. */
async function preparePlans<Wanted extends Decision>(
  deps: PlanDeps,
  { batchId, question, subject }: Omit<PlanAsked, 'decision'>,
  decisions: readonly Wanted[],
): Promise<Plans<Wanted>> {
  const { policy } = deps.settings;
  const scope = policy === undefined ? undefined : personOf(policy, subject)?.scope;
  const begun = decisions.map((decision) => new BegunPlan({ batchId, question, decision }, deps.settings.terms));
  for await (const { row, open } of openRows(deps, batchId, question)) {
    const isInScope = scope !== undefined && isWithin(scope, scopeFactsOfRow(row));
    for (const plan of begun) plan.add(row, open, isInScope);
  }
  return Object.fromEntries(begun.map((plan) => [plan.decision, plan.whole()])) as Plans<Wanted>;
}

/** The plan to sign now: our own approvals, or the bank's once no row waits for ours. */
export const planToSign = async (deps: PlanDeps, asked: Omit<PlanAsked, 'question'>): Promise<BatchPlan> =>
  (await plansToSign(deps, asked, [asked.decision]))[asked.decision];

/** `planToSign` for several decisions from one reading of the bank. */
export async function plansToSign<Wanted extends Decision>(
  deps: PlanDeps,
  asked: Pick<PlanAsked, 'batchId' | 'subject'>,
  decisions: readonly Wanted[],
): Promise<Plans<Wanted>> {
  const ours = await preparePlans(deps, { ...asked, question: 'payout' }, decisions);
  const missing = decisions.filter((decision) => ours[decision].rows.length === 0);
  if (missing.length === 0) return ours;
  const atBank = await preparePlans(deps, { ...asked, question: 'bank' }, missing);
  return {
    ...ours,
    ...Object.fromEntries(missing.flatMap((it) => (atBank[it].rows.length > 0 ? [[it, atBank[it]]] : []))),
  };
}

class BegunPlan {
  readonly #about: Pick<BatchPlan, 'batchId' | 'question' | 'decision'>;
  readonly #terms: Caps;
  readonly #caps = new Map<string, PlanCaps>();
  readonly #rows: PlanRow[] = [];
  readonly #apart: BatchPlan['apart'] = [];
  readonly #totals = new Totals();
  readonly #payees = new Set<string>();
  readonly #newPayees = new Set<string>();
  readonly #flags: BatchPlan['flags'] = {};

  constructor(about: Pick<BatchPlan, 'batchId' | 'question' | 'decision'>, terms: Caps) {
    this.#about = about;
    this.#terms = terms;
  }

  get decision(): Decision {
    return this.#about.decision;
  }

  add({ reference, documentId, instruction }: PayoutRecord, open: Open, isInScope: boolean): void {
    // An approved row needs no further approval.
    if (open?.isApproved === true && this.decision === 'approve') return;
    const why = exclusionOf(open, this.decision, isInScope);
    const { amount, currency } = instruction;
    if (why !== undefined) this.#apart.push({ reference, documentId, amount, currency, why });
    else if (open !== undefined) {
      this.#rows.push({ reference, digest: open.digest });
      this.#count(instruction, open.flags);
      this.#countCaps(capsOf({ instruction }, this.#terms));
    }
  }

  #count(instruction: PayoutInstruction, flags: readonly Flag[] = []): void {
    const { uid, beneficiary_id: id } = instruction;
    this.#totals.add(instruction);
    const payee = id ?? JSON.stringify([uid, Object.entries(beneficiaryFields(instruction)).sort()]);
    this.#payees.add(payee);
    for (const flag of flags) this.#flags[flag] = (this.#flags[flag] ?? 0) + 1;
    if (flags.includes('new-payee')) this.#newPayees.add(payee);
  }

  #countCaps(caps: Caps): void {
    const key = JSON.stringify(caps);
    this.#caps.set(key, { ...caps, count: (this.#caps.get(key)?.count ?? 0) + 1 });
  }

  whole(): BatchPlan {
    return {
      ...this.#about,
      digest: signablePlan(this.#rows).digest,
      rows: this.#rows,
      totals: this.#totals.list(),
      payees: this.#payees.size,
      newPayees: this.#newPayees.size,
      caps: [...this.#caps.values()],
      flags: this.#flags,
      apart: this.#apart,
    };
  }
}

/** The open question of a row; undefined if it cannot be determined. */
type Open =
  | { digest: string; asksAlone?: true; isApproved?: true; differs?: boolean; flags?: readonly Flag[] }
  | undefined;

function exclusionOf(open: Open, decision: Decision, isInScope: boolean): Exclusion | undefined {
  if (!isInScope) return 'out-of-scope';
  if (open === undefined) return 'not-shown';
  if (open.isApproved === true) return 'approved';
  if (open.differs === true && decision === 'approve') return 'differs';
  return open.asksAlone === true && decision === 'approve' ? 'alone' : undefined;
}

/** Rows read from the bank at one time. */
const AT_ONCE = 8;

/** The rows that ask the question, in the order of the file. */
async function* openRows(
  deps: PlanDeps,
  batchId: string,
  question: PlanQuestion,
): AsyncGenerator<{ row: PayoutRecord; open: Open }> {
  const payeeOf = once((id) => deps.bank.beneficiaries.get(id));
  const foresee = foresight(deps, payeeOf);
  const openOf = async (row: PayoutRecord): Promise<Open | 'nothing'> => {
    const open = await (question === 'bank' ? openAtBank(deps, row) : openBefore(deps, foresee, row));
    // What was foreseen is of this reading.
    if (open === undefined || open === 'nothing' || row.assessed?.approvedFirst !== true) return open;
    const { beneficiary_id: id } = row.instruction;
    const payee = id === undefined ? undefined : await undefinedIf(isJudged, () => payeeOf(id));
    return { ...open, differs: digestShown(row, payee, deps.settings.terms) !== row.assessed.digest };
  };
  for await (const page of inPages(deps.store.rows(batchId), AT_ONCE)) {
    const all = await Promise.all(page.map(async (row) => ({ row, open: await openOf(row) })));
    for (const { row, open } of all) if (open !== 'nothing') yield { row, open };
  }
}

async function openBefore(
  deps: PlanDeps,
  foresee: ReturnType<typeof foresight>,
  row: PayoutRecord,
): Promise<Open | 'nothing'> {
  if (!BEFORE_APPROVAL_STATES.includes(row.state)) return 'nothing';
  // A stored assessment shows the digest to sign only if it was made with terms to sign.
  const { assessed } = row;
  const terms = assessed?.approvedFirst === true ? askedOfRead(deps, row, assessed) : await foresee(row);
  if (terms === undefined) return undefined;
  const { digest } = terms;
  const { approvalsNeeded: needed } = await raised(deps, row, terms, { ...assessed, flags: terms.flags });
  if (needed === 0) return 'nothing';
  // The first verdict stands: nobody may be led to believe that a later decision counts.
  const { verdict } = await verdictOn(deps, row, { question: 'payout', digest, needed });
  if (verdict === 'rejected') return 'nothing';
  return verdict === 'approved' ? { ...terms, isApproved: true } : terms;
}

/** The digest as read, and how many the policy in force asks. */
function askedOfRead(deps: PlanDeps, row: PayoutRecord, assessed: Assessment) {
  const { needed: approvalsNeeded, alone } = neededNow(deps, row, assessed);
  const { digest, flags } = assessed;
  return { digest, flags, approvalsNeeded, ...(alone && { asksAlone: true as const }) };
}

async function openAtBank(deps: PlanDeps, row: PayoutRecord): Promise<Open | 'nothing'> {
  if (row.state !== 'awaiting-bank-approval') return 'nothing';
  const asked = await openQuestion(deps, row);
  if (asked === undefined) return 'nothing';
  return { flags: row.assessed?.flags, digest: asked.digest, ...(asked.alone === true && { asksAlone: true }) };
}

/**
 * Stores a signed plan. For each of its rows it counts like that person's decision about the row alone, and is verified again,
 * with the row's inclusion proof, wherever it is used. A refusal says why and is in the audit. Waiting rows are signalled by
 * their batch or by `signalPlan`.
 */
export async function takePlan(
  authority: VerdictDeps,
  plan: BatchPlan,
  signed: SignedDecision,
): Promise<{ taken: true } | { refused: string }> {
  const { store, now } = authority;
  const signable = signablePlan(plan.rows);
  const why = await refusalOfPlan(authority, { ...plan, digest: signable.digest }, signed);
  const take = () => store.takeSignedPlan(signed, signable.inclusions(), now());
  const refused = await takeOrRefuse(why, authority, signed, { about: plan.batchId, take });
  return refused === undefined ? { taken: true } : { refused };
}

async function refusalOfPlan(
  authority: VerdictDeps,
  { batchId: reference, question, decision, digest, rows }: BatchPlan,
  signed: SignedDecision,
): Promise<string | undefined> {
  const { store, now } = authority;
  if (signed.reference !== reference || signed.question !== question || signed.decision !== decision)
    return 'it is about something else';
  if (signed.digest !== digest) return 'the digest is not the one in force';
  if (rows.length === 0) return 'nothing is awaited';
  const why = await whyDecisionIsVoid(authority, signed);
  if (why !== undefined) return why;
  const maker = (await store.batch(reference))?.by;
  if (decision === 'approve' && maker != null && isSamePerson(maker, signed.subject))
    return 'the maker may not approve';
  const before = await store.signedDecisionsOf({ reference, question, digest });
  const isAgain = before.some(
    ({ subject, expiresAt, ...it }) => it.decision === decision && subject === signed.subject && expiresAt > now(),
  );
  return isAgain ? 'this person has decided this already' : undefined;
}
