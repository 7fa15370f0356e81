import { condition } from '@temporalio/workflow';
import type { CardPaymentView } from '../../domain/card-payment.ts';
import { doublingPause } from '../../domain/time.ts';
import type { CardExecution } from './execution.ts';
import type { CardEnded } from './obtain-session.ts';
import type { OpenResume } from './resume-payment.ts';
import { readPayment } from './retrieve-payment.ts';

/** What is needed to follow a payment. */
interface Followed {
  /** The payment_id followed; an operator may name another. */
  paymentId: string;
  /** Id of the 3DS session that it was made with; null without a setup or if unknown. */
  referenceId: string | null;
  /** Resume ids not used yet. */
  resumeIds: string[];
  /** The resume that is in progress or in doubt. */
  resume: OpenResume | undefined;
  /** It was sent without a 3DS setup and may start over with one. */
  mayRestart: boolean;
  /** Completions of the challenge for which a resume was sent. */
  served: { noticed: number; claimed: number };
}

/** A payment that is followed, and how far that has come. */
export class Following {
  readonly execution: CardExecution;
  readonly payment: Followed;
  /** Workflow time at which following it began, for the age limit. */
  since = Date.now();
  /** Queries since the last news. */
  quiet = 0;
  /** Queries and requests in a row that brought nothing: each makes the next pause longer. */
  failures = 0;
  /** Deadline for the cardholder; 0 before the challenge. */
  challengeUntil = 0;
  /** Value of `CardExecution.heard` at the last query. */
  private heard = 0;

  constructor(execution: CardExecution, payment: Followed) {
    this.execution = execution;
    this.payment = payment;
  }

  /** Whether something was heard since the last query. */
  get hasNews(): boolean {
    return this.execution.heard > this.heard;
  }

  /** Pause before retrying something that brought nothing. */
  get retryPause(): number {
    const { lookAgainMs, lookAgainMaxMs } = this.execution.terms;
    return doublingPause(Math.max(0, this.failures - 1), lookAgainMs, lookAgainMaxMs);
  }

  /** Waits until something is heard that no query has covered, or the time is over. */
  async pause(ms: number): Promise<void> {
    if (!this.hasNews) await condition(() => this.hasNews, ms);
  }

  /** Queries the payment; undefined if the acquirer does not answer. */
  async look(): Promise<CardPaymentView | undefined> {
    this.heard = this.execution.heard;
    const view = await readPayment(this.execution, this.payment.paymentId);
    this.failures = view === undefined ? this.failures + 1 : 0;
    return view;
  }
}

export type Conclusion = CardEnded | { restart: true };
