import type { ExpectedOrder } from '../../domain/order-judgement.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { AttemptResult, RefusalMeaning, Submission } from '../../domain/submission.ts';
import { afterAttempt } from '../../domain/submission.ts';
import type { PayoutLife } from '../life.ts';
import { waits } from '../proxies.ts';
import { resolveOrder } from './resolve-order.ts';

/** An order to place: how to send one attempt, and how to recognise it at the bank. */
export interface OrderRequest {
  expected: ExpectedOrder;
  /** Currencies whose lists can show it. */
  currencies: string[];
  send(attempt: number): Promise<AttemptResult>;
  /** State shown while an attempt is under way. */
  showing: 'submitting' | 'converting';
}

export type Submitted =
  | { kind: 'placed'; orderId: string }
  /** Nothing was done at the bank. */
  | { kind: 'refused'; meaning: RefusalMeaning; detail: string }
  | { kind: 'closed'; reason: Reason }
  /** The unknown outcome is proven to have been nothing; the same reference may be sent again, through the gates. */
  | { kind: 'cleared' };

/**
 * Places one order under one reference. One POST per attempt; an unknown outcome goes to the look-up, a refusal after an
 * unknown outcome too, and the same reference is sent again only when the looks allow it. Never interrupted by a cancel.
 */
export async function submitOrder(
  life: PayoutLife,
  request: OrderRequest,
  terms: Terms,
  progress: SubmissionProgress,
): Promise<Submitted> {
  life.openReferences.add(request.expected.reference);
  if (progress.known.tainted) return resolveOrder(life, request, terms, progress);
  for (;;) {
    life.show(request.showing);
    progress.firstSentAt ??= Date.now();
    const result = await attempt(request, progress.known.attempts + 1);
    progress.lastSentAt = Date.now();
    const { known, next } = afterAttempt(progress.known, result);
    progress.known = known;
    life.note(`attempt ${known.attempts}: ${describe(result)}`);
    switch (next.step) {
      case 'adopt':
        return { kind: 'placed', orderId: next.orderId };
      case 'refused':
        return { kind: 'refused', meaning: next.meaning, detail: describe(result) };
      case 'send-again':
        if (next.after === 'reachable') {
          await life.enter(request.showing, because('bank-unreachable'));
          await waits.awaitBank({ accountId: request.expected.accountId });
        }
        break;
      case 'resolve':
        return resolveOrder(life, request, terms, progress);
    }
  }
}

/** What is known about a reference, kept while the payout goes back to a gate and comes again. */
export interface SubmissionProgress {
  known: Submission;
  firstSentAt: number | undefined;
  lastSentAt: number | undefined;
}

/** Any failure without an explicit class (time-out, worker gone, unknown) is ambiguous. */
async function attempt(request: OrderRequest, number: number): Promise<AttemptResult> {
  try {
    return await request.send(number);
  } catch {
    return { outcome: 'ambiguous', why: 'the sender gave no answer' };
  }
}

function describe(result: AttemptResult): string {
  switch (result.outcome) {
    case 'accepted':
      return `accepted as order ${result.orderId}`;
    case 'not-sent':
    case 'ambiguous':
      return `${result.outcome} (${result.why})`;
    case 'refused':
      return `refused (code ${result.code})`;
    case 'exists':
      return 'the bank says the reference exists (code 2003)';
  }
}
