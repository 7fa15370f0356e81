import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  workflowInfo,
} from '@temporalio/workflow';
import type { Prepared } from '../activities/prepare.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInput, PayoutInstruction } from '../domain/instruction.ts';
import type { EndState, Reason } from '../domain/payout-state.ts';
import type { Terms } from '../domain/policy.ts';
import { because } from '../domain/reasons.ts';
import { handleMessages } from './handlers.ts';
import { PayoutLife } from './life.ts';
import { permanentCause, read } from './proxies.ts';
import { clearGates, type GateContext, reassess, type Unpaid } from './steps/clear-gates.ts';
import { convertCurrency } from './steps/convert-currency.ts';
import { type Ends, followOrder } from './steps/follow-order.ts';
import { paymentRequest } from './steps/payment-request.ts';
import { type SubmissionProgress, submitOrder } from './steps/submit-order.ts';

/** What a payout returns. Every business outcome is a return value; the workflow fails only for a bug or a misuse. */
export interface PayoutResult {
  reference: string;
  state: EndState;
  reason: Reason | null;
  orderId: string | null;
  fee: string | null;
  feeCurrency: string | null;
}

/**
 * One payout, from the instruction to a proven end: prepare, clear the gates, convert if needed, submit by reference,
 * follow the order. Nothing that may have moved money is interrupted by a cancellation.
 */
export async function payout(input: PayoutInput): Promise<PayoutResult> {
  const life = new PayoutLife(`${input.currency ?? ''} ${input.amount ?? ''}, document ${input.id ?? ''}`);
  handleMessages(life);
  return CancellationScope.nonCancellable(async () => {
    const result = await payOnce(life, input);
    await condition(allHandlersFinished);
    return result;
  });
}

async function payOnce(life: PayoutLife, input: PayoutInput): Promise<PayoutResult> {
  const { workflowId, runId } = workflowInfo();
  const prepared = await prepare({ workflowId, runId, input });
  life.reference = prepared.reference;
  if (prepared.kind === 'ended') return earlierEnd(life, prepared);
  life.maker = prepared.maker ?? undefined;
  life.attributesAtStart(prepared.instruction.currency, input.batchId);

  const { instruction, terms } = prepared;
  const payment: SubmissionProgress = progressOf(prepared.submission, prepared.firstSentAt);
  const exchange: SubmissionProgress = progressOf(prepared.exchangeSubmission, prepared.firstSentAt);
  // Fixed at the first attempt: a resend has the same bytes.
  let expiredAt: number | undefined;
  const gates: GateContext = {
    instruction,
    generation: prepared.generation,
    terms,
    passes: {},
    fundsUntil: undefined,
    visits: 0,
    exchanged: prepared.submission.attempts > 0,
  };

  let assessment = prepared.assessment;
  for (;;) {
    if (!payment.known.tainted) {
      const cleared = await clearGates(life, gates, assessment);
      if ('end' in cleared) return unpaid(life, cleared);
      assessment = cleared.clear;
      life.digest = assessment.digest;
      expiredAt ??= expiryOf(instruction, terms);
      if (assessment.exchange !== undefined) {
        const converted = await convertCurrency(
          life,
          { plan: assessment.exchange, instruction, terms, expiredAt },
          exchange,
        );
        if ('end' in converted) return unpaid(life, converted);
        if ('cleared' in converted) continue;
        if ('refused' in converted) {
          assessment = refusedAs(assessment, converted.refused, converted.detail);
          continue;
        }
        gates.exchanged = true;
        assessment = { ...assessment, exchange: undefined };
        if (life.wantsCancel) continue;
      }
    }
    const request = paymentRequest(life, prepared, assessment, expiredAt ?? expiryOf(instruction, terms));
    const submitted = await submitOrder(life, request, terms, payment);
    switch (submitted.kind) {
      case 'placed': {
        life.orderId = submitted.orderId;
        life.show('processing');
        const followed = await followOrder(life, request, submitted.orderId, terms, () => endsOf(life));
        life.fee = followed.judgement.fee ?? null;
        life.feeCurrency = followed.judgement.feeCurrency ?? null;
        const { state, reason } = endsOf(life)[followed.meaning];
        await life.enter(state, reason, 'stored');
        return resultOf(life, state);
      }
      case 'closed':
        return unpaid(life, { end: 'failed', reason: submitted.reason });
      case 'cleared':
        assessment = await reassess(gates);
        break;
      case 'refused':
        assessment = refusedAs(assessment, submitted.meaning, submitted.detail);
        break;
    }
  }
}

/** `expired_at` of the orders, epoch ms: the row's own, or the audit's life from now. */
function expiryOf({ expires_at: given }: PayoutInstruction, { auditTtlMs }: Terms): number {
  return given === undefined ? Date.now() + auditTtlMs : Date.parse(given);
}

/** A misuse (wrong id, reused id) fails the workflow with the activity's own words; anything else is a bug. */
async function prepare(input: Parameters<typeof read<'prepare'>>[1]): Promise<Prepared> {
  try {
    return await read('prepare', input, 'claims the payout and reads the bank');
  } catch (error) {
    const cause = permanentCause(error);
    if (cause === undefined) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type);
  }
}

const progressOf = (known: SubmissionProgress['known'], firstSentAt: number | null): SubmissionProgress => ({
  known,
  firstSentAt: firstSentAt ?? undefined,
  lastSentAt: undefined,
});

/** A clean refusal as the obstacle it is, so that the gates lead the payout on. */
function refusedAs(
  assessment: Assessment,
  meaning: { kind: 'fail' | 'hold'; reason: Parameters<typeof because>[0] } | { kind: 'await-funds' },
  detail: string,
): Assessment {
  const obstacle =
    meaning.kind === 'await-funds' ? meaning : { kind: meaning.kind, reason: because(meaning.reason, detail) };
  return { ...assessment, obstacle };
}

/** What each end of the bank's order is for the payout. */
function endsOf(life: PayoutLife): Ends {
  return {
    paid: { state: 'completed', reason: null },
    rejected: life.cancelDrivenAtBank
      ? { state: 'cancelled', reason: because('cancelled-by-request') }
      : {
          state: 'rejected',
          reason: because(life.bankDecision?.decision === 'reject' ? 'approval-rejected' : 'bank-rejected'),
        },
    cancelled: {
      state: 'cancelled',
      reason: because(life.cancelDrivenAtBank ? 'cancelled-by-request' : 'bank-cancelled'),
    },
    failed: { state: 'failed', reason: because('bank-failed') },
  };
}

async function unpaid(life: PayoutLife, { end, reason }: Unpaid): Promise<PayoutResult> {
  await life.enter(end, reason);
  return resultOf(life, end);
}

function earlierEnd(
  life: PayoutLife,
  { state, reason, orderId, fee, feeCurrency }: Extract<Prepared, { kind: 'ended' }>,
): PayoutResult {
  life.orderId = orderId;
  life.fee = fee;
  life.feeCurrency = feeCurrency;
  life.show(state, reason);
  return resultOf(life, state);
}

function resultOf(life: PayoutLife, state: EndState): PayoutResult {
  const { reference, reason, orderId, fee, feeCurrency } = life;
  return { reference, state, reason, orderId, fee, feeCurrency };
}
