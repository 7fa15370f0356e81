import type { Prepared } from '../activities/prepare.ts';
import type { Assessment, Payee } from '../domain/gates.ts';
import { type ExchangeOrder, type PaymentOrder, paymentOrder } from '../domain/sent-order.ts';
import type { PayoutLife } from './life.ts';
import type { GateContext } from './steps/clear-gates.ts';
import type { Payment } from './steps/payment-request.ts';
import type { SubmissionProgress } from './steps/submit-order.ts';

export type Ready = Extract<Prepared, { kind: 'ready' }>;

/** What changes on the way of one payout to its submit. */
export interface Course {
  prepared: Ready;
  gates: GateContext;
  payment: SubmissionProgress;
  exchange: SubmissionProgress;
  /** Fixed at the first attempt, since a resend has the same bytes; free again while no attempt was ever in doubt. */
  paymentOrder: PaymentOrder | undefined;
  exchangeOrder: ExchangeOrder | undefined;
}

export function courseOf(life: PayoutLife, prepared: Ready): Course {
  const { instruction, generation, terms, submission, exchangeSubmission, firstSentAt } = prepared;
  const nothingSent = submission.attempts === 0 && exchangeSubmission.attempts === 0;
  const progress = {
    firstSentAt: firstSentAt ?? undefined,
    lastSentAt: undefined,
    parked: false,
    nothingSent,
    unsent: 0,
  };
  // A payment is sent only after its exchange.
  life.exchanged = submission.attempts > 0 && exchangeSubmission.attempts > 0;
  // What an earlier run sent is in the open set until this one ends.
  if (submission.attempts > 0) life.openReferences.add(prepared.reference);
  if (exchangeSubmission.attempts > 0) life.openReferences.add(prepared.exchangeReference);
  return {
    prepared,
    payment: {
      ...progress,
      known: submission,
      parked: prepared.parked,
      othersInDoubt: prepared.othersInDoubt?.payment,
    },
    exchange: { ...progress, known: exchangeSubmission, othersInDoubt: prepared.othersInDoubt?.exchange },
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
    paymentOrder: prepared.paymentOrder,
    exchangeOrder: prepared.exchangeOrder,
  };
}

/** The payment of this payout: its order is fixed when it is first sent. */
export function paymentOf(course: Course, assessment: Assessment): Payment {
  const { instruction, terms } = course.prepared;
  return {
    instruction,
    accountId: course.paymentOrder?.accountId ?? assessment.payingAccountId,
    order() {
      course.paymentOrder ??= paymentOrder(instruction, assessment, terms, Date.now());
      return course.paymentOrder;
    },
    fix(order) {
      course.paymentOrder = order;
    },
  };
}

/** Whom the payment pays and until when its audit lives, as far as this run knows. */
export function sentTo(
  { paymentOrder: sent }: Course,
  { beneficiary }: Assessment,
): { payee?: Payee; expiredAt?: number } {
  const payee = beneficiary.known && beneficiary.id === sent?.beneficiaryId ? beneficiary : undefined;
  return { payee: payee && { id: payee.id, digest: payee.digest }, expiredAt: sent?.expiredAt };
}

/** An exchange was sent and its outcome is not known to this run. */
export function exchangeInDoubt({ exchange, gates }: Course): boolean {
  return exchange.known.tainted && !gates.exchanged;
}
