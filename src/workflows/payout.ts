import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  workflowInfo,
} from '@temporalio/workflow';
import type { Prepared } from '../activities/prepare.ts';
import type { Assessment } from '../domain/gates.ts';
import type { PayoutInput } from '../domain/instruction.ts';
import type { EndState, Reason } from '../domain/payout-state.ts';
import { doublingPause } from '../domain/policy.ts';
import { because } from '../domain/reasons.ts';
import { handleMessages } from './handlers.ts';
import { PayoutLife } from './life.ts';
import { permanentCause, read } from './proxies.ts';
import { clearGates, type GateContext, reassess, type Unpaid } from './steps/clear-gates.ts';
import { convertCurrency } from './steps/convert-currency.ts';
import { type Ends, type Followed, followOrder } from './steps/follow-order.ts';
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
export async function payout(given: PayoutInput): Promise<PayoutResult> {
  // Anybody can start a workflow with anything: what is no instruction is refused by `prepare`, not by a crash.
  const input = given ?? {};
  const life = new PayoutLife(`${input.currency ?? ''} ${input.amount ?? ''}, document ${input.id ?? ''}`);
  handleMessages(life);
  return CancellationScope.nonCancellable(async () => {
    const result = await payOnce(life, input);
    await condition(allHandlersFinished);
    return result;
  });
}

type Ready = Extract<Prepared, { kind: 'ready' }>;

/** What changes on the way of one payout to its submit. */
interface Course {
  prepared: Ready;
  gates: GateContext;
  payment: SubmissionProgress;
  exchange: SubmissionProgress;
  /** `expired_at` of the orders, epoch ms; fixed at the first attempt, since a resend has the same bytes. */
  expiredAt: number | undefined;
}

async function payOnce(life: PayoutLife, input: PayoutInput): Promise<PayoutResult> {
  const { workflowId, runId } = workflowInfo();
  const prepared = await prepare({ workflowId, runId, input });
  life.reference = prepared.reference;
  if (prepared.kind === 'ended') return earlierEnd(life, prepared);
  life.maker = prepared.maker ?? undefined;
  life.attributesAtStart(prepared.instruction.currency, input.batchId);
  const { terms } = prepared;
  const course = courseOf(life, prepared);

  let assessment = prepared.assessment;
  for (;;) {
    life.digest = assessment.digest;
    // An exchange in doubt comes before a parked payment: nobody may close what it was made for.
    const looksFirst = course.payment.known.tainted || (course.payment.parked && !exchangeInDoubt(course));
    const ready = looksFirst ? { clear: assessment } : await makeReady(life, course, assessment);
    if ('end' in ready) return unpaid(life, ready);
    if ('ended' in ready) return endInStore(life, input);
    if ('again' in ready) {
      assessment = ready.again;
      continue;
    }
    assessment = ready.clear;
    const request = paymentRequest(life, prepared, assessment, expiryOf(course));
    const submitted = await submitOrder(life, request, terms, course.payment);
    switch (submitted.kind) {
      case 'placed': {
        life.orderId = submitted.orderId;
        life.show('processing');
        return finish(life, await followOrder(life, { request, ...submitted, terms, ends: () => endsOf(life) }));
      }
      case 'ended':
        return endInStore(life, input);
      case 'closed':
        return unpaid(life, { end: 'failed', reason: submitted.reason });
      case 'stopped':
        return unpaid(life, { end: 'cancelled', reason: because('cancelled-by-request') });
      case 'unsent':
        course.expiredAt = undefined;
        assessment = await reassess(course.gates);
        break;
      case 'cleared':
        assessment = await reassess(course.gates);
        break;
      case 'refused':
        course.expiredAt = undefined;
        assessment = refusedAs(assessment, submitted.meaning, submitted.detail);
        break;
    }
  }
}

function courseOf(life: PayoutLife, prepared: Ready): Course {
  const { instruction, generation, terms, submission, exchangeSubmission, firstSentAt } = prepared;
  const nothingSent = submission.attempts === 0 && exchangeSubmission.attempts === 0;
  const progress = {
    firstSentAt: firstSentAt ?? undefined,
    lastSentAt: undefined,
    parked: false,
    nothingSent,
    unsent: 0,
  };
  // What an earlier run sent is in the open set until this one ends.
  if (submission.attempts > 0) life.openReferences.add(prepared.reference);
  if (exchangeSubmission.attempts > 0) life.openReferences.add(prepared.exchangeReference);
  return {
    prepared,
    payment: { ...progress, known: submission, parked: prepared.parked },
    exchange: { ...progress, known: exchangeSubmission },
    gates: {
      instruction,
      generation,
      terms,
      passes: {},
      fundsUntil: undefined,
      visits: 0,
      exchanged: submission.attempts > 0,
      exchangeSent: exchangeSubmission.attempts > 0,
    },
    expiredAt: undefined,
  };
}

type MadeReady = { clear: Assessment } | { again: Assessment } | { ended: true } | Unpaid;

/**
 * Leads a payout through its gates and its exchange. After the exchange the gates are visited again: what was approved is
 * paid only if the bank still shows it. An exchange whose outcome is unknown is looked for before anything else.
 */
async function makeReady(life: PayoutLife, course: Course, found: Assessment): Promise<MadeReady> {
  const { instruction, terms } = course.prepared;
  const inDoubt = exchangeInDoubt(course);
  if (inDoubt && found.exchange === undefined) {
    // The bank does not show now what the exchange was for: nothing else is done until it can be looked for.
    await life.enter('resolving', because('outcome-unknown'));
    const { lookAgainMs, lookAgainMaxMs } = terms.waits;
    await condition(() => false, doublingPause(course.gates.visits, lookAgainMs, lookAgainMaxMs * 12));
    course.gates.visits += 1;
    return { again: await reassess(course.gates) };
  }
  const cleared = inDoubt ? { clear: found } : await clearGates(life, course.gates, found);
  if ('end' in cleared) return cleared;
  const assessment = cleared.clear;
  life.digest = assessment.digest;
  if (assessment.exchange === undefined) return cleared;

  const thenAssess = { instruction, generation: course.gates.generation, exchanged: true };
  const exchange = { plan: assessment.exchange, instruction, terms, expiredAt: expiryOf(course), thenAssess };
  const converted = await convertCurrency(life, exchange, course.exchange);
  if ('end' in converted) return converted;
  if ('refused' in converted) return { again: refusedAs(assessment, converted.refused, converted.detail) };
  course.gates.exchangeSent = course.exchange.known.attempts > 0;
  if ('unsent' in converted) course.expiredAt = undefined;
  if ('unsent' in converted || 'cleared' in converted) return { again: await reassess(course.gates) };
  if ('ended' in converted) return converted;
  course.gates.exchanged = true;
  return { again: converted.assessment ?? (await reassess(course.gates)) };
}

/** An exchange was sent and its outcome is not known to this run. */
function exchangeInDoubt({ exchange, gates }: Course): boolean {
  return exchange.known.tainted && !gates.exchanged;
}

async function finish(life: PayoutLife, followed: Followed): Promise<PayoutResult> {
  if (followed.meaning === 'closed') return unpaid(life, { end: 'failed', reason: followed.reason });
  life.fee = followed.judgement.fee ?? null;
  life.feeCurrency = followed.judgement.feeCurrency ?? null;
  const { state, reason } = endsOf(life)[followed.meaning];
  await life.enter(state, reason, 'stored');
  return resultOf(life, state);
}

/** `expired_at` of the orders, epoch ms: the row's own, or the audit's life from the first attempt. */
function expiryOf(course: Course): number {
  const { instruction, terms } = course.prepared;
  const given = instruction.expires_at;
  course.expiredAt ??= given === undefined ? Date.now() + terms.auditTtlMs : Date.parse(given);
  return course.expiredAt;
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
    rejected: life.order.cancelDriven
      ? { state: 'cancelled', reason: because('cancelled-by-request') }
      : {
          state: 'rejected',
          reason: because(life.order.decision?.decision === 'reject' ? 'approval-rejected' : 'bank-rejected'),
        },
    cancelled: {
      state: 'cancelled',
      reason: because(life.order.cancelDriven ? 'cancelled-by-request' : 'bank-cancelled'),
    },
    failed: { state: 'failed', reason: because('bank-failed') },
  };
}

async function unpaid(life: PayoutLife, { end, reason }: Unpaid): Promise<PayoutResult> {
  await life.enter(end, reason);
  return resultOf(life, end);
}

/** A run that was reset to before an end that the store has: it returns that end. */
async function endInStore(life: PayoutLife, input: PayoutInput): Promise<PayoutResult> {
  const { workflowId, runId } = workflowInfo();
  const found = await prepare({ workflowId, runId, input });
  if (found.kind === 'ended') return earlierEnd(life, found);
  throw ApplicationFailure.nonRetryable('the store showed an end and shows none now', 'EndLost');
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
