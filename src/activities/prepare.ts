import { dueAt } from '../domain/business-days.ts';
import { FAILURES } from '../domain/failures.ts';
import type { Assessment } from '../domain/gates.ts';
import { type PayoutInput, type PayoutInstruction, splitInput } from '../domain/instruction.ts';
import { payoutWorkflowId } from '../domain/names.ts';
import { type EndState, isEnd, type Reason } from '../domain/payout-state.ts';
import type { Terms } from '../domain/policy.ts';
import { because } from '../domain/reasons.ts';
import type { ExchangeOrder, PaymentOrder } from '../domain/sent-order.ts';
import { FRESH, inDoubt, orderInForce, othersInDoubt, type Submission } from '../domain/submission.ts';
import { payloadDigest, referenceOf } from '../identity.ts';
import type { PayoutRecord, SendAttempt } from '../store/store.ts';
import { assessPayout } from './assess.ts';
import type { ActivityDeps } from './deps.ts';
import { permanentFailure, reading } from './to-failure.ts';

export interface PrepareInput {
  workflowId: string;
  runId: string;
  input: PayoutInput;
}

/** What the first activity of a payout returns into history: its identity, its terms for life, and where to begin. */
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
  | {
      kind: 'ready';
      reference: string;
      instruction: PayoutInstruction;
      generation: number;
      maker: string | null;
      terms: Terms;
      /** Tainted when something may have been sent under the reference before: then a look comes before anything else. */
      submission: Submission;
      /** Attempts recorded under the derived exchange reference. */
      exchangeSubmission: Submission;
      /** What earlier runs sent and may have been executed: a resend has the same bytes, a look expects the same order. */
      paymentOrder?: PaymentOrder;
      exchangeOrder?: ExchangeOrder;
      /** Attempts of earlier runs that may have been executed: one more of them belongs to a sender that was paused. */
      othersInDoubt?: { payment: number; exchange: number };
      exchangeReference: string;
      /** An earlier run was closed while the payout was with an operator: nothing is sent without a decision. */
      parked: boolean;
      /** Epoch ms of the oldest attempt recorded, for the window of a look. */
      firstSentAt: number | null;
      assessment: Assessment;
    };

/** Without these there is nothing to claim; every other rule ends the payout as failed, with its reason. */
const NEEDED = ['account_id', 'amount', 'currency'] as const;

/**
 * Checks the identity, takes the claim, fixes the terms and reads the bank once. A local activity: nothing here moves
 * money, and all of it may run again.
 */
export async function preparePayout(deps: ActivityDeps, { workflowId, runId, input }: PrepareInput): Promise<Prepared> {
  const { instruction, by, generation } = splitInput(input);
  const reference = referenceOf(instruction.uid ?? '', instruction.id ?? '', 'payment', generation);
  if (!instruction.uid || !instruction.id || workflowId !== payoutWorkflowId(reference)) {
    throw permanentFailure(
      FAILURES.wrongWorkflowId,
      `the workflow id of this instruction is ${payoutWorkflowId(reference)}: the id is the lock against paying twice ("payouts reference UID ID" prints it)`,
    );
  }
  const missing = NEEDED.filter((field) => instruction[field] === undefined);
  if (missing.length > 0) throw permanentFailure(FAILURES.invalidInput, `the input lacks ${missing.join(', ')}`);
  await deps.assertIdentity();
  if (generation > 0) await assertEarlierUnpaid(deps, instruction, generation);

  const exchangeReference = referenceOf(instruction.uid, instruction.id, 'exchange', generation);
  const claim = await deps.store.claimPayout({
    reference,
    workflowId,
    instruction,
    payloadDigest: payloadDigest(instruction),
    generation,
    by: by ?? null,
    runId,
    derivedReferences: [exchangeReference],
    at: deps.now(),
  });
  if (!claim.samePayload) {
    throw permanentFailure(FAILURES.idReused, 'this id was claimed before with another payload; nothing was sent');
  }
  const { record } = claim;
  if (isEnd(record.state)) return ended(record, record.state);

  // Started again after its workflow was closed: it is at work again.
  const parked = record.state === 'needs-operator';
  if (claim.holder === 'other-run' && !parked) {
    await deps.store.changePayout(reference, { state: 'preparing', reason: null, at: deps.now() });
  }
  if (claim.holder === 'other-run') {
    for (const heard of [reference, exchangeReference]) await deps.store.forgetNotice(heard);
  }

  const payments = claim.attempts.filter((attempt) => attempt.reference === reference);
  const exchanges = claim.attempts.filter((attempt) => attempt.reference === exchangeReference);
  const submission = submissionOf(payments);
  const exchangeSubmission = submissionOf(exchanges);
  const findings = deps.checkInstruction(instruction);
  const assessment: Assessment =
    findings.length > 0
      ? invalid(findings, payloadDigest(instruction))
      : await reading(() =>
          assessPayout(deps, {
            instruction,
            generation,
            exchanged: submission.attempts > 0,
            exchangeSent: exchangeSubmission.attempts > 0,
          }),
        );
  return {
    kind: 'ready',
    reference,
    instruction,
    generation,
    maker: record.by,
    terms: termsOf(deps, instruction),
    submission,
    exchangeSubmission,
    exchangeReference,
    paymentOrder: orderInForce<PaymentOrder>(payments),
    exchangeOrder: orderInForce<ExchangeOrder>(exchanges),
    othersInDoubt: { payment: othersInDoubt(payments, runId), exchange: othersInDoubt(exchanges, runId) },
    parked,
    firstSentAt: claim.attempts[0]?.sentAt ?? null,
    assessment,
  };
}

function ended(record: PayoutRecord, state: EndState): Prepared {
  const { reference, reason, orderId, fee, feeCurrency } = record;
  return { kind: 'ended', reference, state, reason, orderId, fee, feeCurrency };
}

function invalid(findings: readonly { rule: string; message: string }[], digest: string): Assessment {
  const detail = findings.map((finding) => finding.rule).join(', ');
  return {
    beneficiary: { known: false },
    digest,
    approvalsNeeded: 0,
    obstacle: { kind: 'fail', reason: because('invalid-instruction', detail) },
  };
}

/**
 * What the recorded attempts of a reference allow. An attempt without a recorded outcome, or with one that is not a proof
 * of "nothing happened", taints: an accepted one too, because this run does not follow its order yet.
 */
export function submissionOf(attempts: readonly SendAttempt[]): Submission {
  const highest = attempts.reduce((most, { attempt }) => Math.max(most, attempt), 0);
  const uncertain = inDoubt(attempts);
  return {
    ...FRESH,
    attempts: highest,
    tainted: uncertain.length > 0,
    resends: Math.max(0, uncertain.length - 1),
    exists: attempts.some(({ outcome }) => outcome === 'exists'),
  };
}

function termsOf({ settings }: ActivityDeps, instruction: PayoutInstruction): Terms {
  return {
    waits: settings.waits,
    referenceDedupe: settings.referenceDedupe,
    closedMeans: settings.closedMeans,
    auditTtlMs: settings.auditTtlMs,
    feeCap: instruction.fee_cap ?? settings.feeCap,
    maxSlippage: instruction.max_slippage ?? settings.maxSlippage,
    dueAt: dueAt(instruction, settings.calendar),
  };
}

/** A new generation is a new reference: allowed only when the one before is stored as ended without money. */
async function assertEarlierUnpaid(
  deps: ActivityDeps,
  instruction: PayoutInstruction,
  generation: number,
): Promise<void> {
  const before = await deps.store.payout(referenceOf(instruction.uid, instruction.id, 'payment', generation - 1));
  const unpaid = before !== undefined && isEnd(before.state) && before.state !== 'completed';
  if (!unpaid) {
    throw permanentFailure(
      FAILURES.generationNotProven,
      `generation ${generation} needs proof in the store that generation ${generation - 1} took no money`,
    );
  }
}
