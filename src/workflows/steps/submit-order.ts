import { condition, patched, workflowInfo } from '@temporalio/workflow';
import type { ExpectedOrder } from '../../domain/order-judgement.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { doublingPause, type Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { SentOrder } from '../../domain/sent-order.ts';
import type { AttemptResult, RefusalMeaning, SendResult, Submission } from '../../domain/submission.ts';
import { afterAttempt, TOKEN_EXCUSES_MAX } from '../../domain/submission.ts';
import type { SwitchScope } from '../../domain/switches.ts';
import type { PayoutLife } from '../life.ts';
import { read, waits } from '../proxies.ts';
import { resolveOrder } from './resolve-order.ts';
import { untilCancelRequested } from './until-cancel-requested.ts';

/** An order to place: how to send one attempt, and how to recognise it at the bank. */
export interface OrderRequest {
  expected: ExpectedOrder;
  /** Account that a read asks about, to learn whether the bank answers. */
  accountId: string;
  /** Currencies whose lists can show it. */
  currencies: string[];
  /** `othersInDoubt`: attempts of other runs that this run knows of. */
  send(attempt: number, othersInDoubt: number | undefined): Promise<SendResult>;
  /** Other bytes than those asked for are in force: what is expected at the bank follows them. */
  expect(sent: SentOrder): void;
  /** State shown while an attempt is under way. */
  showing: 'submitting' | 'converting';
}

export type Submitted =
  /** `adopted`: found by a look, so nobody may tell of it any more; it is looked at once. */
  | { kind: 'placed'; orderId: string; adopted?: true }
  /** Nothing was done at the bank. */
  | { kind: 'refused'; meaning: RefusalMeaning; detail: string }
  | { kind: 'closed'; reason: Reason }
  /** The unknown outcome is proven to have been nothing; the same reference may be sent again, through the gates. */
  | { kind: 'cleared' }
  /** Nothing got through, and the bank answers again: what is to be sent must be looked at anew. */
  | { kind: 'unsent' }
  /** Nothing was sent, because a switch was off. */
  | { kind: 'switched-off'; scope: SwitchScope }
  /** A cancel was asked for while nothing had been sent. */
  | { kind: 'stopped' }
  /** The payout has an end in the store, made before this run was reset. */
  | { kind: 'ended' };

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
  let inDoubt = progress.known.tainted || progress.parked;
  for (;;) {
    if (inDoubt) {
      const resolved = await resolveOrder(life, request, terms, progress);
      if (resolved.kind !== 'resend') return resolved;
      inDoubt = false;
    }
    life.show(request.showing);
    progress.firstSentAt ??= Date.now();
    const result = await attempt(request, progress.known.attempts + 1, progress.othersInDoubt);
    progress.lastSentAt = Date.now();
    if (result.sent !== undefined) request.expect(result.sent);
    const { known, next } = afterAttempt(progress.known, result, tokenExcusesMax(result));
    progress.known = known;
    life.note(`attempt ${known.attempts}: ${describe(result)}`);
    switch (next.step) {
      case 'adopt':
        return { kind: 'placed', orderId: next.orderId };
      case 'refused':
        return { kind: 'refused', meaning: next.meaning, detail: describe(result) };
      case 'send-again':
        if (life.wantsCancel) return { kind: 'stopped' };
        if (next.after === 'now') break;
        await untilReachable(life, request, terms, { unsent: progress.unsent, why: describe(result) });
        progress.unsent += 1;
        return { kind: 'unsent' };
      case 'switched-off':
        return { kind: 'switched-off', scope: next.scope };
      case 'ended':
        return { kind: 'ended' };
      case 'resolve':
        inDoubt = true;
        break;
    }
  }
}

/** Before there were several excuses there was one. */
function tokenExcusesMax(result: AttemptResult): number {
  const suspect = result.outcome === 'not-sent' && result.why === 'token-suspect';
  return suspect && !patched('token-excuses') ? 1 : TOKEN_EXCUSES_MAX;
}

/** Nothing was sent: waits until the bank answers, and ever longer while the sends still do not get through. */
async function untilReachable(
  life: PayoutLife,
  request: OrderRequest,
  { waits: { lookAgainMs, lookAgainMaxMs, patienceMs } }: Terms,
  { unsent, why }: { unsent: number; why: string },
): Promise<void> {
  await life.enter(request.showing, because('bank-unreachable', why));
  await untilCancelRequested(life, patienceMs, () => waits.awaitBank({ accountId: request.accountId }));
  if (unsent === 0 || life.wantsCancel) return;
  await condition(() => life.wantsCancel, doublingPause(unsent - 1, lookAgainMs, lookAgainMaxMs * 12));
}

/** What is known about a reference, kept while the payout goes back to a gate and comes again. */
export interface SubmissionProgress {
  known: Submission;
  firstSentAt: number | undefined;
  lastSentAt: number | undefined;
  /** Attempts of other runs in doubt, as of the last look or the start of this run. */
  othersInDoubt?: number;
  /** An earlier run was closed while the payout was with an operator: people decide before anything is sent. */
  parked: boolean;
  /** No earlier run sent anything for the payout, its exchange included. */
  nothingSent: boolean;
  /** Attempts in a row that did not get through, to space them. */
  unsent: number;
}

/**
 * Any failure without an explicit class (time-out, worker gone, unknown) is ambiguous, unless the attempt was never
 * recorded: then no byte has left, and its number is taken so that none can leave any more.
 */
async function attempt(request: OrderRequest, number: number, othersInDoubt?: number): Promise<SendResult> {
  try {
    return await request.send(number, othersInDoubt);
  } catch {
    const { reference } = request.expected;
    const { runId } = workflowInfo();
    const fenced =
      patched('fence-attempt') &&
      (await read('fenceAttempt', { reference, attempt: number, runId }, 'whether the sender ever began'));
    return fenced
      ? { outcome: 'not-sent', why: 'never-began' }
      : { outcome: 'ambiguous', why: 'the sender gave no answer' };
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
    case 'ended':
      return 'nothing sent: the payout has an end';
    case 'exists':
      return 'the bank says the reference exists (code 2003)';
  }
}
