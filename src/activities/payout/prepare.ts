import { dueAt } from '../../domain/business-days.ts';
import type { Claim } from '../../domain/claim.ts';
import { StoreMismatch } from '../../domain/claim.ts';
import { exchangeProgress } from '../../domain/exchange-progress.ts';
import { FAILURES, Misuse } from '../../domain/failures.ts';
import type { Assessment } from '../../domain/gates.ts';
import { payloadDigest, referenceOf } from '../../domain/identity.ts';
import { isClaimedBriefly, type PayoutInput, type PayoutInstruction, splitInput } from '../../domain/instruction.ts';
import { decimalsEqual } from '../../domain/money.ts';
import { type LegKind, legsOf, mainLegOf, type PayoutKind, payoutWorkflowId } from '../../domain/names.ts';
import { type EndState, isEnd, type Reason } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import { believedFrom } from '../../domain/restored.ts';
import { isSignedByMaker } from '../../people/decisions/made.ts';
import { capsOf } from '../../people/decisions/signed-parts.ts';
import type { Caller } from '../../store/claimed-row.ts';
import { legReference } from '../../store/claimed-row.ts';
import { areEarlierUnpaid } from '../../store/proven-unpaid.ts';
import type { PayoutClaim, PayoutRecord, UnaskedOrder } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { unsentOrders } from '../sending/unsent-orders.ts';
import { recordedAssessment } from './assess.ts';
import { type Forgotten, type LegStarts, legStarts } from './leg-start.ts';
import { obstructed } from './obstructed.ts';

export interface PrepareInput {
  input: PayoutInput;
  /** Id of the store that prepared this payout earlier in this run; no other store may. */
  storeId?: string;
  /** There was an earlier run of this workflow id, according to whoever started this one or to its own history. */
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
    } & LegStarts);

/** Without these there is nothing to claim. Breaking any other rule makes the payout fail with its reason. */
const NEEDED = ['account_id', 'amount', 'currency'] as const;

/** Checks the identity, takes the claim, fixes the terms and reads the bank once. Moves no money and is safe to run again. */
export async function preparePayout(
  deps: ActivityDeps,
  { workflowId, runId }: Caller,
  { input, storeId, kind = 'payout', ranBefore = false, term, isHandedOver = false }: PrepareInput,
): Promise<Prepared> {
  const { store, now } = deps;
  if (storeId !== undefined && storeId !== store.id && !(await store.hasReplaced(storeId))) {
    throw new StoreMismatch(`the payout belongs to store ${storeId}, and this worker has store ${store.id}`);
  }
  const { instruction: given, by, generation } = splitInput(input);
  if (generation === undefined) {
    throw new Misuse(FAILURES.invalidInput, '"generation" is a whole number from 0, written as a number');
  }
  const reference = referenceOf(given.uid ?? '', given.id ?? '', mainLegOf(kind), generation);
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
  await deps.assertIdentity();
  const known = await store.payout(reference);
  // Checked before the first claim only: afterwards the gates hold the payout if anything turns up about an earlier generation.
  if (
    known === undefined &&
    !(await areEarlierUnpaid(store, { uid: given.uid, documentId: given.id, generation, kind }))
  ) {
    throw new Misuse(
      FAILURES.generationNotProven,
      `generation ${generation} needs proof in the store that generation ${generation - 1} took no money`,
    );
  }

  const instruction = claimedInstruction(known, given, input.batchId);
  if (known === undefined && !(await isSignedByMaker(deps, { kind, reference, instruction, by }))) {
    throw new Misuse(
      FAILURES.makerNotProven,
      'the policy asks for a maker who has proven to be one: hand payouts over with the command or the gateway',
    );
  }
  const references = legsOf(kind).map((leg) => referenceOf(given.uid, given.id, leg, generation));
  const claimed = await store.claimPayout({
    reference,
    workflowId,
    instruction,
    payloadDigest: payloadDigest(instruction),
    generation,
    kind,
    by: by ?? null,
    runId,
    term: isTerm(term) ? term : undefined,
    derivedReferences: references,
    at: now(),
  });
  const { record } = claimed;
  if (!claimed.samePayload) throw reused();
  if (isEnd(record.state)) return ended(record, record.state);
  const claim: Claim = { storeId: store.id, reference, term: record.term };
  const parked = record.state === 'needs-operator' && !LOOKED_FOR.has(record.reason?.code ?? '') ? record.reason : null;
  const hadOther = ranBefore || record.term !== (term ?? 1);
  const forgotten = await forgottenSince(deps, claimed, { hadOther, isHandedOver });
  // A run that has to look stores that state itself; until then the row keeps telling the next run to look.
  const staysAsItIs = parked !== null || forgotten !== undefined;
  if (claimed.isTakenOver) await takenOver(deps, record, references, staysAsItIs);

  const at = now();
  const broken = deps.checkInstruction(instruction, kind).map(({ rule }) => rule);
  const assessment: Assessment =
    broken.length > 0
      ? obstructed(record, { kind: 'fail', reason: because('invalid-instruction', broken.join(', ')) })
      : await recordedAssessment(deps, record, exchangeProgress(legStarts(claimed, () => ({ at }))));
  // A payout that needs no exchange can only have forgotten its payment. While its payee is unknown no exchange is planned, yet
  // one may be needed and may have been sent.
  const needsNoExchange = assessment.payingAccountId === instruction.account_id;
  const mayBeSent = (leg: LegKind): boolean => leg === mainLegOf(kind) || !needsNoExchange;
  const unsent = await unsentOrders(deps, record);
  const ofLeg = (leg: LegKind): Forgotten | undefined => {
    const orders = unsent.filter((order) => order.reference === legReference(record, leg));
    if (orders.length > 0) return sinceOldest(orders);
    return mayBeSent(leg) ? forgotten : undefined;
  };
  return {
    kind: 'ready',
    claim,
    maker: record.by,
    terms: termsOf(deps, instruction),
    ...legStarts(claimed, (leg) => ({ at, forgotten: ofLeg(leg) })),
    parked,
    assessment,
  };
}

/** Anybody may write anything into a workflow's input: a huge term would leave no higher one. */
const isTerm = (term: unknown): term is number =>
  Number.isInteger(term) && Number(term) > 0 && Number(term) < 1_000_000;

/** Reasons that need no decision by people: the run looks and continues with what it finds. */
const LOOKED_FOR: ReadonlySet<string> = new Set(['workflow-closed', 'outcome-unknown']);

/**
 * The period in which more may have been sent than the store shows; a look must then come before any send. Undefined: none.
 * Cases: an earlier run was looking, or its workflow was closed without an end; another run held the payout (`hadOther`); shortly
 * before the payout was claimed, this store was replaced by an older copy or took another store's namespace.
 */
async function forgottenSince(
  { store, settings }: ActivityDeps,
  { record: { state, reason, createdAt }, attempts }: PayoutClaim,
  { hadOther, isHandedOver }: { hadOther: boolean; isHandedOver: boolean },
): Promise<Forgotten | undefined> {
  // A continuing run remembers what the previous one sent, looked for and found.
  if (isHandedOver && !hadOther) return undefined;
  const restored = await store.restored();
  const from = Math.min(createdAt, restored?.from ?? createdAt);
  if (hadOther || (restored !== undefined && createdAt <= restored.at)) return { from, until: null };
  const wasLooking = state === 'resolving' || (state === 'needs-operator' && LOOKED_FOR.has(reason?.code ?? ''));
  if (wasLooking) return { from, until: attempts.at(-1)?.sentAt ?? null };
  if (restored === undefined || attempts.length > 0) return undefined;
  const isBelieved = createdAt > (believedFrom(restored, settings) ?? createdAt);
  return isBelieved ? undefined : { from, until: restored.at };
}

/** The bank shows orders that the store has forgotten, or that another copy of it has sent: they are looked for, and followed. */
const sinceOldest = (orders: readonly UnaskedOrder[]): Forgotten => ({
  from: Math.min(...orders.map(({ shown }) => shown?.created_at ?? 0)),
  until: null,
});

/** A run that takes the claim over is at work again, and must be sent again what the watches signalled to the previous one. */
async function takenOver(
  { store, now }: ActivityDeps,
  { reference, term }: PayoutRecord,
  sent: readonly string[],
  staysAsItIs: boolean,
): Promise<void> {
  if (!staysAsItIs) await store.changePayout(reference, { state: 'preparing', reason: null, term, at: now() });
  for (const heard of sent) await store.noteOrder(heard, { notifiedStatus: null });
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
