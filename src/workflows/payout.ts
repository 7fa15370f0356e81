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
import { because, type ReasonCode } from '../domain/reasons.ts';
import { exchangeOrder } from '../domain/sent-order.ts';
import { type Course, courseOf, exchangeInDoubt, paymentOf, sentTo } from './course.ts';
import { handleMessages } from './handlers.ts';
import { PayoutLife } from './life.ts';
import { permanentCause, read } from './proxies.ts';
import { clearGates, reassess, type Unpaid } from './steps/clear-gates.ts';
import { convertCurrency, type Exchange } from './steps/convert-currency.ts';
import { type Ends, type Followed, followOrder } from './steps/follow-order.ts';
import { paymentRequest } from './steps/payment-request.ts';
import { submitOrder } from './steps/submit-order.ts';

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
    const request = paymentRequest(life, paymentOf(course, assessment));
    const submitted = await submitOrder(life, request, terms, course.payment);
    switch (submitted.kind) {
      case 'placed': {
        life.orderId = submitted.orderId;
        life.show('processing');
        const order = { request, ...submitted, terms, ...sentTo(course, assessment), ends: () => endsOf(life) };
        return finish(life, await followOrder(life, order));
      }
      case 'ended':
        return endInStore(life, input);
      case 'closed':
        return unpaid(life, { end: 'failed', reason: submitted.reason });
      case 'stopped':
        return unpaid(life, { end: 'cancelled', reason: because('cancelled-by-request') });
      case 'unsent':
        if (course.payment.known.resends === 0) course.paymentOrder = undefined;
        assessment = await reassess(course.gates);
        break;
      case 'cleared':
        assessment = await reassess(course.gates);
        break;
      case 'switched-off':
        if (course.payment.known.resends === 0) course.paymentOrder = undefined;
        assessment = { ...(await reassess(course.gates)), switchedOff: submitted.scope };
        break;
      case 'refused':
        if (course.payment.known.resends === 0) course.paymentOrder = undefined;
        assessment = refusedAs(assessment, submitted.meaning, submitted.detail);
        break;
    }
  }
}

type MadeReady = { clear: Assessment } | { again: Assessment } | { ended: true } | Unpaid;

/**
 * Leads a payout through its gates and its exchange. After the exchange the gates are visited again: what was approved is
 * paid only if the bank still shows it. An exchange whose outcome is unknown is looked for before anything else.
 */
async function makeReady(life: PayoutLife, course: Course, found: Assessment): Promise<MadeReady> {
  const { instruction, terms } = course.prepared;
  const inDoubt = exchangeInDoubt(course);
  if (inDoubt && course.exchangeOrder === undefined && found.exchange === undefined) {
    // Neither the store nor the bank shows what the exchange was for: nothing else is done until it can be looked for.
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
  if (assessment.exchange !== undefined) {
    course.exchangeOrder ??= exchangeOrder(assessment.exchange, instruction, terms, Date.now());
  }
  if (course.exchangeOrder === undefined || (assessment.exchange === undefined && !inDoubt)) return cleared;

  const { generation } = course.gates;
  const exchange: Exchange = {
    reference: course.prepared.exchangeReference,
    order: course.exchangeOrder,
    instruction,
    terms,
    thenAssess: { instruction, generation, exchanged: true },
  };
  const converted = await convertCurrency(life, exchange, course.exchange);
  course.exchangeOrder = exchange.order;
  if ('end' in converted) return converted;
  const { resends } = course.exchange.known;
  const nothingSent = 'refused' in converted || 'unsent' in converted || 'switchedOff' in converted;
  if (nothingSent && resends === 0) course.exchangeOrder = undefined;
  if ('refused' in converted) return { again: refusedAs(assessment, converted.refused, converted.detail) };
  course.gates.exchangeSent = course.exchange.known.attempts > 0;
  if ('unsent' in converted || 'cleared' in converted) return { again: await reassess(course.gates) };
  if ('switchedOff' in converted) {
    return { again: { ...(await reassess(course.gates)), switchedOff: converted.switchedOff } };
  }
  if ('ended' in converted) return converted;
  course.gates.exchanged = true;
  return { again: converted.assessment ?? (await reassess(course.gates)) };
}

async function finish(life: PayoutLife, followed: Followed): Promise<PayoutResult> {
  if (followed.meaning === 'closed') return unpaid(life, { end: 'failed', reason: followed.reason });
  life.fee = followed.judgement.fee ?? null;
  life.feeCurrency = followed.judgement.feeCurrency ?? null;
  const { state, reason } = endsOf(life)[followed.meaning];
  await life.enter(state, reason, 'stored');
  return resultOf(life, state);
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

/** An exchange is never undone automatically: who reads why nothing was paid reads that the money is in another currency. */
function withExchange({ exchanged }: PayoutLife, { code, message }: Reason): Reason {
  return exchanged ? { code, message: `${message}; the exchange stays as booked` } : { code, message };
}

/** What each end of the bank's order is for the payout. */
function endsOf(life: PayoutLife): Ends {
  const { cancelDriven, decision } = life.order;
  const unpaidBy = (state: EndState, code: ReasonCode) => ({ state, reason: withExchange(life, because(code)) });
  return {
    paid: { state: 'completed', reason: null },
    rejected: cancelDriven
      ? unpaidBy('cancelled', 'cancelled-by-request')
      : unpaidBy('rejected', decision?.decision === 'reject' ? 'approval-rejected' : 'bank-rejected'),
    cancelled: unpaidBy('cancelled', cancelDriven ? 'cancelled-by-request' : 'bank-cancelled'),
    failed: unpaidBy('failed', 'bank-failed'),
  };
}

async function unpaid(life: PayoutLife, { end, reason }: Unpaid): Promise<PayoutResult> {
  await life.enter(end, withExchange(life, reason));
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
