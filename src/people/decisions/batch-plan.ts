import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { decidesAs, type PlanQuestion, personAt, type SignedDecision } from '../../domain/authority.ts';
import { beneficiaryFields, type PayoutInstruction } from '../../domain/instruction.ts';
import { compareDecimals, type Total, Totals } from '../../domain/money.ts';
import { type Flag, lookAlikeKeys } from '../../domain/payee.ts';
import { BEFORE_APPROVAL_STATES } from '../../domain/payout-state.ts';
import type { Caps } from '../../domain/policy.ts';
import { inPages } from '../../store/in-pages.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { type PlanRow, signablePlan } from '../signing/signed-plan.ts';
import { capsOf } from './asked.ts';
import { foresight, type PlanDeps, payeeReader } from './foresee.ts';
import { neededNow, raised } from './let-through.ts';
import { openQuestion, type ReadQuestion, signsOtherwise } from './shown-question.ts';
import {
  absentFor,
  type SignedQuestion,
  scopeFactsOfRow,
  takeOrRefuse,
  type VerdictDeps,
  verdictOn,
  whyDecisionIsVoid,
} from './verdict.ts';

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
  /** Documents of its rows that are alike: same payee, amount and currency. The first groups. */
  alikes: string[][];
  /** Rows outside the plan, and why. */
  apart: { reference: string; documentId: string; amount: string; currency: string; why: Exclusion }[];
  /** Its rows in full, those with new or changed payees first, then by amount; at most `SHOWN_MAX`. */
  shown: ShownRow[];
}

type PlanAbout = Pick<BatchPlan, 'batchId' | 'question' | 'decision'>;

export type ShownRow = Pick<PlanItem, 'row' | 'payee'>;

export const SHOWN_MAX = 500;
const ALIKES_MAX = 20;

/** Highest fee, a decimal string, and highest slippage of an exchange, as a fraction. */
type PlanCaps = Partial<Caps> & { count: number };

/** A row of a batch that asks the question of a plan or will, as read from store and bank. */
export interface PlanItem extends ReadQuestion {
  /** Why nobody can decide it together with others; absent: `asked.alone` says whether they can. */
  apart?: 'out-of-scope' | 'not-shown';
  /** Enough people have approved it. */
  isApproved?: true;
}

/** Reads the rows that ask a question, in the order of the file. */
export type ReadPlan = (question: PlanQuestion) => AsyncIterable<PlanItem>;

/** Only the rows for which `isIncluded` holds. */
export const onlyRows = (read: ReadPlan, isIncluded: (item: PlanItem) => boolean): ReadPlan =>
  async function* (question) {
    for await (const item of read(question)) if (isIncluded(item)) yield item;
  };

/** Reads the rows of each question once, for several plans of one reading. */
export function readOnce(read: ReadPlan): ReadPlan {
  const known = new Map<PlanQuestion, Promise<PlanItem[]>>();
  return async function* (question) {
    const items = known.get(question) ?? Array.fromAsync(read(question));
    known.set(question, items);
    yield* await items;
  };
}

/** The plan to sign now: our own approvals, or the bank's once no row waits for ours. */
export const planToSign = async (read: ReadPlan, asked: Pick<BatchPlan, 'batchId' | 'decision'>): Promise<BatchPlan> =>
  (await plansToSign(read, asked.batchId, [asked.decision]))[asked.decision];

/** `planToSign` for several decisions from one reading of the bank. */
export async function plansToSign<Wanted extends Decision>(
  read: ReadPlan,
  batchId: string,
  decisions: readonly Wanted[],
): Promise<Plans<Wanted>> {
  const ours = await preparePlans(read, { batchId, question: 'payout' }, decisions);
  const missing = decisions.filter((decision) => ours[decision].rows.length === 0);
  if (missing.length === 0) return ours;
  const atBank = await preparePlans(read, { batchId, question: 'bank' }, missing);
  return {
    ...ours,
    ...Object.fromEntries(missing.flatMap((it) => (atBank[it].rows.length > 0 ? [[it, atBank[it]]] : []))),
  };
}

type Decision = BatchPlan['decision'];
type Plans<Wanted extends Decision> = Record<Wanted, BatchPlan>;

/**
 * The plan of a batch as it was read, made by the part that shows or signs it, also from what a gateway has read: digests, totals and
 * caps follow from the rows, of which only what one signature can decide counts.
 */
export const preparePlan = async (read: ReadPlan, asked: PlanAbout): Promise<BatchPlan> =>
  (await preparePlans(read, asked, [asked.decision]))[asked.decision];

async function preparePlans<Wanted extends Decision>(
  read: ReadPlan,
  about: Pick<BatchPlan, 'batchId' | 'question'>,
  decisions: readonly Wanted[],
): Promise<Plans<Wanted>> {
  const begun = decisions.map((decision) => new BegunPlan({ ...about, decision }));
  for await (const item of read(about.question)) {
    const differs = item.asked?.question !== about.question || signsOtherwise(item) !== undefined;
    for (const plan of begun) plan.add(item, differs);
  }
  return Object.fromEntries(begun.map((plan) => [plan.decision, plan.whole()])) as Plans<Wanted>;
}

class BegunPlan {
  readonly #about: PlanAbout;
  readonly #caps = new Map<string, PlanCaps>();
  readonly #rows: PlanRow[] = [];
  readonly #shown: ShownRow[] = [];
  readonly #apart: BatchPlan['apart'] = [];
  readonly #totals = new Totals();
  readonly #payees = new Set<string>();
  readonly #newPayees = new Set<string>();
  readonly #flags: BatchPlan['flags'] = {};
  readonly #alike = new Map<string, Set<string>>();

  constructor(about: PlanAbout) {
    this.#about = about;
  }

  get decision(): Decision {
    return this.#about.decision;
  }

  add(item: PlanItem, differs: boolean): void {
    // An approved row needs no further approval.
    if (item.isApproved === true && this.decision === 'approve') return;
    const { row, asked, payee } = item;
    const { reference, documentId, instruction, assessed } = row;
    const { amount, currency } = instruction;
    const why = exclusionOf(item, this.decision, differs);
    if (why !== undefined) this.#apart.push({ reference, documentId, amount, currency, why });
    else if (asked !== undefined) {
      this.#rows.push({ reference, digest: asked.digest });
      this.#shown.push({ row, payee });
      if (this.#shown.length > 2 * SHOWN_MAX) this.#keepFirst();
      this.#count(instruction, assessed?.flags);
      this.#countCaps(capsOf(row, item.caps));
      this.#compare(row);
    }
  }

  #keepFirst(): void {
    this.#shown.sort(byImportance).splice(SHOWN_MAX);
  }

  #count(instruction: PayoutInstruction, flags: readonly Flag[] = []): void {
    const { uid, beneficiary_id: id } = instruction;
    this.#totals.add(instruction);
    const payee = id ?? JSON.stringify([uid, Object.entries(beneficiaryFields(instruction)).sort()]);
    this.#payees.add(payee);
    for (const flag of flags) this.#flags[flag] = (this.#flags[flag] ?? 0) + 1;
    if (flags.includes('new-payee')) this.#newPayees.add(payee);
  }

  #compare({ lookAlikeKey, lookAlikeAccount, documentId }: PayoutRecord): void {
    for (const key of lookAlikeKeys({ lookAlikeKey, lookAlikeAccount })) {
      this.#alike.set(key, (this.#alike.get(key) ?? new Set()).add(documentId));
    }
  }

  #countCaps({ feeCap, maxSlippage }: Caps): void {
    const key = JSON.stringify([feeCap, maxSlippage]);
    this.#caps.set(key, { feeCap, maxSlippage, count: (this.#caps.get(key)?.count ?? 0) + 1 });
  }

  /** Two rows may share the key of the payee's id and that of its account. */
  #alikes(): string[][] {
    const groups = [...this.#alike.values()].filter(({ size }) => size > 1).map((ids) => [...ids]);
    return [...new Map(groups.map((ids) => [JSON.stringify(ids), ids])).values()].slice(0, ALIKES_MAX);
  }

  whole(): BatchPlan {
    this.#keepFirst();
    return {
      ...this.#about,
      digest: signablePlan(this.#rows).digest,
      rows: this.#rows,
      shown: this.#shown,
      totals: this.#totals.list(),
      payees: this.#payees.size,
      newPayees: this.#newPayees.size,
      caps: [...this.#caps.values()],
      flags: this.#flags,
      alikes: this.#alikes(),
      apart: this.#apart,
    };
  }
}

const ON_TOP: readonly Flag[] = ['new-payee', 'changed-payee'];

/** New and changed payees first, then the largest amounts, whatever their currency. */
function byImportance({ row: a }: ShownRow, { row: b }: ShownRow): number {
  const isOnTop = ({ assessed }: PayoutRecord): number =>
    Number(assessed?.flags?.some((flag) => ON_TOP.includes(flag)) === true);
  return isOnTop(b) - isOnTop(a) || (compareDecimals(b.instruction.amount, a.instruction.amount) ?? 0);
}

function exclusionOf(
  { apart, isApproved, asked }: PlanItem,
  decision: Decision,
  differs: boolean,
): Exclusion | undefined {
  if (apart !== undefined) return apart;
  if (asked === undefined) return 'not-shown';
  if (isApproved === true) return 'approved';
  if (decision === 'reject') return undefined;
  if (differs) return 'differs';
  return asked.alone === true ? 'alone' : undefined;
}

/** Rows read from the bank at one time. */
const AT_ONCE = 8;

/** What a row asks people, with the reading that this follows from; undefined if it cannot be determined. */
type Open = Pick<PlanItem, 'row' | 'isApproved'> & { asked: SignedQuestion };

/** Reads the rows of a batch for the plans of a person. Writes nothing; the same until something changes. */
export function planReader(deps: PlanDeps, { batchId, subject }: { batchId: string; subject: string }): ReadPlan {
  const { policy, terms } = deps.settings;
  const person = policy && personAt(policy, subject, deps.now());
  const payeeOf = payeeReader(deps.bank);
  const foresee = foresight(deps, payeeOf);
  const itemOf = async (read: PayoutRecord, question: PlanQuestion): Promise<PlanItem[]> => {
    const open = await (question === 'bank' ? openAtBank(deps, read) : openBefore(deps, foresee, read));
    if (open === 'nothing') return [];
    const { row = read, asked, isApproved } = open ?? {};
    const { beneficiary_id: id } = row.instruction;
    const payee = id === undefined ? undefined : await undefinedIf(isJudged, () => payeeOf(id, row.uid));
    const about = { maker: row.by, touches: scopeFactsOfRow(row) };
    const isInScope = decidesAs(person, question, about).length > 0;
    const apart = isInScope ? (open === undefined ? 'not-shown' : undefined) : 'out-of-scope';
    const item = { row, asked, payee, order: undefined, caps: capsOf(row, terms), isSigned: true };
    return [{ ...item, ...(apart && { apart }), ...(isApproved && { isApproved }) }];
  };
  return async function* (question) {
    for await (const page of inPages(deps.store.rows(batchId), AT_ONCE)) {
      yield* (await Promise.all(page.map((row) => itemOf(row, question)))).flat();
    }
  };
}

async function openBefore(
  deps: PlanDeps,
  foresee: ReturnType<typeof foresight>,
  read: PayoutRecord,
): Promise<Open | 'nothing' | undefined> {
  if (!BEFORE_APPROVAL_STATES.includes(read.state)) return 'nothing';
  // A stored assessment shows the digest to sign only if it was made with terms to sign.
  const assessed = read.assessed?.approvedFirst === true ? read.assessed : await foresee(read);
  if (assessed === undefined) return undefined;
  const row = { ...read, assessed };
  const { digest } = assessed;
  const { needed: approvalsNeeded, alone } = neededNow(deps, row, assessed);
  const { approvalsNeeded: needed } = await raised(deps, row, { digest, approvalsNeeded }, assessed);
  if (needed === 0) return 'nothing';
  // The first verdict counts: nobody may be led to believe that a later decision counts.
  const { verdict } = await verdictOn(deps, row, { question: 'payout', digest, needed });
  if (verdict === 'rejected') return 'nothing';
  const asked = { question: 'payout', digest, needed, alone } as const;
  return { row, asked, ...(verdict === 'approved' && { isApproved: true }) };
}

async function openAtBank(deps: PlanDeps, row: PayoutRecord): Promise<Open | 'nothing'> {
  if (row.state !== 'awaiting-bank-approval') return 'nothing';
  const asked = await openQuestion(deps, row);
  return asked === undefined ? 'nothing' : { row, asked };
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
  const { policy } = authority.settings;
  const facts = await store.scopeFactsOfBatch(plan.batchId);
  const away = new Set(facts.flatMap((touches) => absentFor(policy, signed, { maker: null, touches }) ?? []));
  const inPlaceOf = away.size === 0 ? undefined : [...away].join(' or ');
  const take = () => store.takeSignedPlan(signed, signable.inclusions(), now(), inPlaceOf);
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
  const { policy } = authority.settings;
  const person = policy && personAt(policy, signed.subject, signed.signedAt);
  if (decision === 'approve' && maker != null && decidesAs(person, question, { maker }).length === 0)
    return 'the maker may not approve';
  const before = await store.signedDecisionsOf({ reference, question, digest });
  const isAgain = before.some(
    ({ subject, expiresAt, ...it }) => it.decision === decision && subject === signed.subject && expiresAt > now(),
  );
  return isAgain ? 'this person has decided this already' : undefined;
}
