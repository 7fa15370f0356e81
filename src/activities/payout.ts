import { doubtInWords } from '../domain/absence.ts';
import { dueAt } from '../domain/business-days.ts';
import { type Claim, StoreMismatch, Superseded } from '../domain/claim.ts';
import { FAILURES, Misuse } from '../domain/failures.ts';
import type { Assessment } from '../domain/gates.ts';
import { payloadDigest, referenceOf } from '../domain/identity.ts';
import {
  buysForItself,
  isClaimedBriefly,
  type PayoutInput,
  type PayoutInstruction,
  splitInput,
} from '../domain/instruction.ts';
import { decimalsEqual } from '../domain/money.ts';
import { mainOrderKindOf, type OrderKind, orderKindsOf, type PayoutKind, payoutWorkflowId } from '../domain/names.ts';
import type { ExpectedOrder } from '../domain/order-judgement.ts';
import {
  type EndState,
  isEnd,
  type PayoutState,
  type Reason,
  type StoredState,
  type UnpaidState,
} from '../domain/payout-state.ts';
import type { Terms } from '../domain/policy.ts';
import { because } from '../domain/reasons.ts';
import { expectedOrder, listsOfPlan, type SentOrder } from '../domain/sent-order.ts';
import { believedFrom } from '../domain/store-past.ts';
import {
  exchangeProgress,
  orderAsked,
  SENDER_LIFE_MS,
  type Submission,
  submissionOf,
  withUnknownAttempts,
} from '../domain/submission.ts';
import { capsOf } from '../people/decisions/asked.ts';
import { isSignedByMaker } from '../people/decisions/verdict.ts';
import { type Caller, claimedRow, orderReference, orderReferences } from '../store/claimed-row.ts';
import { areEarlierUnpaid } from '../store/proven-unpaid.ts';
import type { PayoutClaim, PayoutRecord, Resolved, SendAttempt, UnaskedOrder } from '../store/store.ts';
import { obstructed, recordedAssessment } from './assess.ts';
import type { ActivityDeps } from './deps.ts';
import { areReadSinceOpening, askBank, unsentByRow, unsentOrders } from './lists.ts';

/** What is known of one order of a payout when a run takes the claim. Usually nothing was sent; that takes no room in history. */
export interface OrderStart {
  reference: string;
  /** Absent: nothing was sent. */
  submission?: Submission;
  /** Known to be paid. */
  isPaid?: boolean;
  /** Epoch ms of the first and the last attempt recorded; absent or null when there is none. */
  firstSentAt?: number | null;
  lastSentAt?: number | null;
  /** More may have been sent than the store shows. */
  isForgotten?: true;
}

/** One for each order that a row of its kind may send. */
type OrderStarts = Partial<Record<OrderKind, OrderStart>>;

/** Period (epoch ms) in which something may have been sent that the store does not show; `until` null: up to now. */
interface Forgotten {
  from: number;
  until: number | null;
}

/** `at`: when the claim was taken (epoch ms). `forgotten`: attempts of the order may be missing. */
interface Taken {
  at: number;
  forgotten?: Forgotten;
}

function orderStarts(claim: PayoutClaim, taken: (orderKind: OrderKind) => Taken): OrderStarts {
  const references = Object.entries(orderReferences(claim.record)) as [OrderKind, string][];
  return Object.fromEntries(
    references.map(([orderKind, reference]) => [orderKind, orderStart(reference, claim, taken(orderKind))]),
  );
}

/** A paid order needs no search. */
function orderStart(reference: string, { attempts }: PayoutClaim, { forgotten, at }: Taken): OrderStart {
  const own = attempts.filter((attempt) => attempt.reference === reference);
  if (own.length === 0 && forgotten === undefined) return { reference };
  const submission = submissionOf(own);
  return {
    reference,
    submission: forgotten === undefined ? submission : withUnknownAttempts(submission),
    isPaid: own.some(({ resolved }) => resolved === 'paid'),
    firstSentAt: forgotten?.from ?? own[0]?.sentAt ?? null,
    lastSentAt: forgotten?.until === null ? null : (lastEnd(own, at) ?? forgotten?.until ?? null),
    ...(forgotten !== undefined && { isForgotten: true }),
  };
}

/** Upper bound for the end of the last attempt: nobody records when a sender stopped. Attempts oldest first. */
function lastEnd(attempts: PayoutClaim['attempts'], at: number): number | undefined {
  const last = attempts.at(-1);
  return last && Math.min(at, last.sentAt + SENDER_LIFE_MS);
}

/** One of the orders of a payout. */
export interface OrderKindInput {
  claim: Claim;
  orderKind: OrderKind;
  /** State that the row should be in. */
  recorded?: StoredState;
  /** Order ids that the run knows, even if the store has forgotten them. */
  placedIds?: readonly string[];
}

/** What was sent for an order, and so what the bank must show. */
export interface SentForOrder {
  reference: string;
  attempts: SendAttempt[];
  /** Order ids from answers to attempts, and those that this run or an earlier one has followed. */
  ownIds: string[];
  sent: SentOrder | undefined;
  expected: ExpectedOrder;
}

export async function sentForOrder(
  { store }: ActivityDeps,
  row: PayoutRecord,
  { orderKind, placedIds = [] }: OrderKindInput,
): Promise<SentForOrder> {
  const reference = orderReference(row, orderKind);
  const attempts = await store.attempts(reference);
  const sent = orderAsked<SentOrder>(attempts);
  const followed = orderKind === mainOrderKindOf(row.kind) && row.orderId !== null ? [row.orderId] : [];
  const ownIds = [...new Set([...attempts.flatMap(({ orderId }) => orderId ?? []), ...placedIds, ...followed])];
  const expected = expectedOrder(orderKind, reference, row.instruction, row.assessed, sent);
  return { reference, attempts, ownIds, sent, expected };
}

export interface PrepareInput {
  input: PayoutInput;
  /** Id of the store that prepared this payout earlier in this run; no other store may. */
  storeId?: string;
  /** There was an earlier run of this workflow id, according to the starter of this one or to its own history. */
  ranBefore?: boolean;
  /** Lowest term of the claim, and its term unless another run held it; absent: 1. */
  term?: number;
  /** This run continues the previous one, which handed over what it knew. */
  isHandedOver?: boolean;
  /** Kind of the calling workflow; absent: a payout. */
  kind?: PayoutKind;
}

/** Result of the first activity of a payout, kept in history: claim, terms for life, and where to begin. */
export type Prepared =
  | {
      kind: 'ended';
      reference: string;
      state: EndState;
      reason: Reason | null;
      orderId: string | null;
      fee: string | null;
      feeCurrency: string | null;
    }
  | ({
      kind: 'ready';
      claim: Claim;
      maker: string | null;
      terms: Terms;
      /** Why an earlier run handed the payout to an operator: nothing is sent without a decision. Null: it did not. */
      parked: Reason | null;
      assessment: Assessment;
    } & OrderStarts);

/** Without these there is nothing to claim. Breaking any other rule makes the payout fail with its reason. */
const NEEDED = ['account_id', 'amount', 'currency'] as const;

/** Checks the identity, takes the claim, fixes the terms and reads the bank once. Moves no money and is safe to run again. */
export async function prepare(
  deps: ActivityDeps,
  { workflowId, runId }: Caller,
  asked: PrepareInput,
): Promise<Prepared> {
  const { store, now } = deps;
  const { input, storeId, kind = 'payout', ranBefore = false, term, isHandedOver = false } = asked;
  if (storeId !== undefined && storeId !== store.id && !(await store.hasReplaced(storeId))) {
    throw new StoreMismatch(`the payout belongs to store ${storeId}, and this worker has store ${store.id}`);
  }
  const named = identityOf(input, kind, workflowId);
  await deps.assertIdentity();
  const instruction = await instructionToClaim(deps, named, input.batchId);
  const { reference, generation, by = null } = named;
  const references = orderKindsOf(kind).map((orderKind) =>
    referenceOf(instruction.uid, instruction.id, orderKind, generation),
  );
  const claimed = await store.claimPayout({
    ...{ reference, workflowId, runId, instruction, generation, kind, by, at: now() },
    payloadDigest: payloadDigest(instruction),
    term: isTerm(term) ? term : undefined,
    derivedReferences: references,
  });
  const { record } = claimed;
  if (!claimed.samePayload) throw reused();
  if (isEnd(record.state)) return ended(record, record.state);
  const parked =
    record.state === 'needs-operator' && !SEARCHED_FOR.has(record.reason?.code ?? '') ? record.reason : null;
  const hadOther = ranBefore || record.term !== (term ?? 1);
  const forgotten = await forgottenSince(deps, claimed, { hadOther, isHandedOver });
  // A run that has to search stores that state itself; until then the row keeps the next run searching.
  const staysAsItIs = parked !== null || forgotten !== undefined;
  if (claimed.isTakenOver) await takenOver(deps, record, references, staysAsItIs);

  const at = now();
  const assessment = await firstAssessment(deps, claimed, at);
  // A payout that needs no exchange can only have forgotten its payment. While its payee is unknown no exchange is planned, yet
  // one may be needed and may have been sent.
  const needsNoExchange = assessment.payingAccountId === instruction.account_id || !buysForItself(instruction);
  const mayBeSent = (orderKind: OrderKind): boolean => orderKind === mainOrderKindOf(kind) || !needsNoExchange;
  const unsent = await unsentOrders(deps, record);
  const ofOrder = (orderKind: OrderKind): Forgotten | undefined => {
    const orders = unsent.filter((order) => order.reference === orderReference(record, orderKind));
    if (orders.length > 0) return sinceOldest(orders);
    return mayBeSent(orderKind) ? forgotten : undefined;
  };
  return {
    kind: 'ready',
    claim: { storeId: store.id, reference, term: record.term },
    maker: record.by,
    terms: termsOf(deps, instruction),
    ...orderStarts(claimed, (orderKind) => ({ at, forgotten: ofOrder(orderKind) })),
    parked,
    assessment,
  };
}

interface Named extends Pick<PayoutRecord, 'reference' | 'generation' | 'kind'> {
  /** As the input has it: of a batch payout, without its payee. */
  given: PayoutInstruction;
  by: string | undefined;
}

/** What the input names. The workflow id must be the one of that reference. */
function identityOf(input: PayoutInput, kind: PayoutKind, workflowId: string): Named {
  const { instruction: given, by, generation } = splitInput(input);
  if (generation === undefined) {
    throw new Misuse(FAILURES.invalidInput, '"generation" is a whole number from 0, written as a number');
  }
  const reference = referenceOf(given.uid ?? '', given.id ?? '', mainOrderKindOf(kind), generation);
  const itsId = payoutWorkflowId(reference, kind);
  if (!given.uid || !given.id || workflowId !== itsId) {
    const command = `payouts reference UID ID${kind === 'payout' ? '' : ` --kind ${kind}`}`;
    throw new Misuse(
      FAILURES.wrongWorkflowId,
      `the workflow id of this instruction is ${itsId}: the id is the lock against paying twice ("${command}" prints it)`,
    );
  }
  const missing = NEEDED.filter((field) => given[field] === undefined);
  if (missing.length > 0) throw new Misuse(FAILURES.invalidInput, `the input lacks ${missing.join(', ')}`);
  return { reference, generation, kind, given, by };
}

/**
 * The claimed instruction, else the one given. What earlier generations took, and who its maker is, is checked before the first
 * claim only: afterwards the gates hold the payout if anything turns up about an earlier generation.
 */
async function instructionToClaim(
  deps: ActivityDeps,
  { reference, generation, kind, given, by }: Named,
  batchId: string | undefined,
): Promise<PayoutInstruction> {
  const known = await deps.store.payout(reference);
  const { uid, id: documentId } = given;
  if (
    known === undefined &&
    !(await areEarlierUnpaid(deps.store, { uid, documentId, generation, kind, instruction: given }))
  ) {
    throw new Misuse(
      FAILURES.generationNotProven,
      `generation ${generation} needs proof in the store that generation ${generation - 1} took no money`,
    );
  }
  const instruction = claimedInstruction(known, given, batchId);
  if (known === undefined && !(await isSignedByMaker(deps, { kind, reference, instruction, by }))) {
    throw new Misuse(
      FAILURES.makerNotProven,
      'the policy asks for a maker who has proven to be one: hand payouts over with the command or the gateway',
    );
  }
  return instruction;
}

/** What the bank shows, unless the instruction breaks a rule. */
async function firstAssessment(deps: ActivityDeps, claimed: PayoutClaim, at: number): Promise<Assessment> {
  const { record } = claimed;
  const broken = deps.checkInstruction(record.instruction, record.kind).map(({ rule }) => rule);
  if (broken.length > 0) {
    return obstructed(record, { kind: 'fail', reason: because('invalid-instruction', broken.join(', ')) });
  }
  return recordedAssessment(deps, record, exchangeProgress(orderStarts(claimed, () => ({ at }))));
}

/** Anybody may write anything into a workflow's input: a huge term would leave no higher one. */
const isTerm = (term: unknown): term is number =>
  Number.isInteger(term) && Number(term) > 0 && Number(term) < 1_000_000;

/** Reasons that need no decision by people: the run reads and continues with what it finds. */
const SEARCHED_FOR: ReadonlySet<string> = new Set(['workflow-closed', 'outcome-unknown']);

/**
 * The period in which more may have been sent than the store shows; a search must then come before any send. Undefined: none.
 * Cases: an earlier run was searching, or its workflow was closed without an end; another run held the payout (`hadOther`); shortly
 * before the payout was claimed, this store was replaced by an older copy or took another store's namespace.
 */
async function forgottenSince(
  { store, settings }: ActivityDeps,
  { record: { state, reason, createdAt }, attempts }: PayoutClaim,
  { hadOther, isHandedOver }: { hadOther: boolean; isHandedOver: boolean },
): Promise<Forgotten | undefined> {
  // A continuing run remembers what the previous one sent, searched for and found.
  if (isHandedOver && !hadOther) return undefined;
  const restored = await store.restored();
  const from = Math.min(createdAt, restored?.from ?? createdAt);
  if (hadOther || (restored !== undefined && createdAt <= restored.at)) return { from, until: null };
  const wasSearching = state === 'resolving' || (state === 'needs-operator' && SEARCHED_FOR.has(reason?.code ?? ''));
  if (wasSearching) return { from, until: attempts.at(-1)?.sentAt ?? null };
  if (restored === undefined || attempts.length > 0) return undefined;
  const isBelieved = createdAt > (believedFrom(restored, settings) ?? createdAt);
  return isBelieved ? undefined : { from, until: restored.at };
}

/** The bank shows orders that the store has forgotten, or that another copy of it has sent: they are searched for, and followed. */
const sinceOldest = (orders: readonly UnaskedOrder[]): Forgotten => ({
  from: Math.min(...orders.map(({ shown }) => shown?.created_at ?? 0)),
  until: null,
});

/** A run that takes over the claim needs the signals that the watches have sent to the previous run. */
async function takenOver(
  { store, now }: ActivityDeps,
  { reference, term }: PayoutRecord,
  sent: readonly string[],
  staysAsItIs: boolean,
): Promise<void> {
  if (!staysAsItIs) await store.changePayout(reference, { state: 'preparing', reason: null, term, at: now() });
  for (const received of sent) await store.noteOrder(received, { notifiedStatus: null });
}

/**
 * The claimed row decides what is paid; the input must agree with it. If a batch claimed the row and it is not here, it is in
 * another store.
 */
function claimedInstruction(
  row: PayoutRecord | undefined,
  given: PayoutInstruction,
  batchId: string | undefined,
): PayoutInstruction {
  if (row === undefined) {
    if (batchId !== undefined) throw new StoreMismatch('the store of this worker has no row of this batch payout');
    return given;
  }
  const { instruction } = row;
  const isSame = isClaimedBriefly(given)
    ? given.account_id === instruction.account_id &&
      given.currency === instruction.currency &&
      decimalsEqual(given.amount, instruction.amount)
    : payloadDigest(given) === row.payloadDigest;
  if (!isSame) throw reused();
  return instruction;
}

const reused = () => new Misuse(FAILURES.idReused, 'this id was claimed before with another payload; nothing was sent');

function ended(record: PayoutRecord, state: EndState): Prepared {
  const { reference, reason, orderId, fee, feeCurrency } = record;
  return { kind: 'ended', reference, state, reason, orderId, fee, feeCurrency };
}

function termsOf({ settings }: ActivityDeps, instruction: PayoutInstruction): Terms {
  return {
    ...settings.terms,
    ...(settings.policy !== undefined && { signed: true as const }),
    ...capsOf({ instruction }, settings.terms),
    dueAt: dueAt(instruction, settings.calendar),
  };
}

export interface RecordStateInput {
  claim: Claim;
  state: Exclude<PayoutState, EndState>;
  reason: Reason | null;
  orderId?: string;
  /** What a payout that awaits funds needs, decimal string. */
  fundsNeeded?: string;
}

/** By order: attempts up to this number are resolved, and as what. Absent: none. */
export type ResolvedOrders = Partial<Record<OrderKind, { upTo: number; as: Resolved }>>;

export interface CloseInput {
  claim: Claim;
  state: UnpaidState;
  reason: Reason;
  resolved: ResolvedOrders;
  /** Who rejected or cancelled it; absent: nobody. */
  by?: string;
}

/** Stores the state of the payout, for reports and lists. */
export async function recordState(
  { store, now }: ActivityDeps,
  { runId }: Caller,
  { claim, fundsNeeded, ...change }: RecordStateInput,
): Promise<void> {
  const { reference, term } = claim;
  await claimedRow(store, claim, runId);
  // Null replaces an earlier sum: a later shortage may be of another account and of an unknown sum.
  const funds = change.state === 'awaiting-funds' ? { fundsNeeded: fundsNeeded ?? null } : {};
  if (!(await store.changePayout(reference, { ...change, ...funds, term, at: now() }))) throw new Superseded();
  if (change.orderId !== undefined) await store.noteOrder(reference, { orderId: change.orderId });
}

/**
 * Stores an end without money. Throws `Superseded` if something was sent that this run has not resolved, or if a list has shown an
 * order that this store does not know of: the run then claims the payout again, and searches for it. Open orders leave the open set.
 */
export async function closePayout(
  deps: ActivityDeps,
  { runId }: Caller,
  { claim, resolved, ...end }: CloseInput,
): Promise<void> {
  const row = await claimedRow(deps.store, claim, runId);
  const byKind = Object.entries(orderReferences(row));
  const references = byKind.map(([, reference]) => reference);
  // What people have found out about the money contradicts what the bank shows.
  const isSaid = end.reason.code === 'closed-by-operator';
  if (!isSaid) await assertListsRead(deps, row);
  if (!isSaid && (await unsentByRow(deps, row, references)).length > 0) {
    throw new Superseded('the bank shows an order that this store did not send');
  }
  const closing = await deps.store.closeUnpaid({
    ...end,
    ...claim,
    resolved: Object.fromEntries(
      byKind.flatMap(([orderKind, reference]) => {
        const known = resolved[orderKind as OrderKind];
        return known === undefined ? [] : [[reference, known]];
      }),
    ),
    references,
    at: deps.now(),
  });
  if (closing === 'superseded') throw new Superseded();
  if (closing === 'in-doubt') throw new Superseded('something was sent that this run has not resolved');
}

/**
 * A store that was restored, or opened anew, may have forgotten what was sent under the references of a row, also of one that was
 * taken again since: a machine may have gone back in time unnoticed. The bank's lists say so before the row ends as unpaid; they
 * are read once after an opening. Throws, to be tried again, while they cannot be believed.
 */
async function assertListsRead(deps: ActivityDeps, row: PayoutRecord): Promise<void> {
  const { kind, instruction, assessed, createdAt } = row;
  const lists = listsOfPlan(instruction, assessed);
  const [restored, resumed] = await Promise.all([deps.store.restored(), deps.store.resumed()]);
  const isOlder = createdAt <= Math.max(restored?.at ?? 0, resumed?.at ?? 0);
  if (!isOlder && (resumed === undefined || (await areReadSinceOpening(deps, lists)))) return;
  const { doubt } = await askBank(deps, row, mainOrderKindOf(kind), lists);
  if (doubt !== undefined) throw new Error(doubtInWords(doubt));
}
