import { condition, sleep } from '@temporalio/workflow';
import { because } from '../../domain/reasons.ts';
import { type AttemptResult, afterAttempt, bankSays, type Refused } from '../../domain/submission.ts';
import { doublingPause } from '../../domain/time.ts';
import { takeNextTerm } from '../payout/one-send.ts';
import { untilCancelRequested } from '../payout/waits.ts';
import { answerOrUndefined, polls } from '../proxies.ts';
import type { OrderLeg, Placed } from './order-leg.ts';
import { resolveOrder } from './resolve.ts';

/**
 * Places the order of a leg under its reference. One POST per attempt; an unknown outcome leads to a search, so does a refusal
 * after one, and the same reference is sent again only if the searches allow it.
 */
export async function placeOrder(leg: OrderLeg): Promise<Placed> {
  const { view, plan } = leg;
  let looksFirst = leg.isInDoubt || leg.parked !== null;
  for (;;) {
    if (looksFirst) {
      const resolved = await resolveOrder(leg);
      if (resolved.kind !== 'resend') return resolved;
      looksFirst = false;
    }
    view.show(plan.submitting);
    leg.firstSentAt ??= Date.now();
    const result = await attempt(leg);
    const mayHaveMoved = result.outcome !== 'not-sent' && result.outcome !== 'refused';
    const { known, next } = afterAttempt(leg.known, result);
    leg.silence = result === SILENT && !leg.known.tainted ? { attempt: known.attempts, before: leg.known } : undefined;
    leg.known = known;
    if (mayHaveMoved) leg.ineffectiveSends = 0;
    view.note(`attempt ${known.attempts}: ${describe(result)}`);
    // After `known` is updated: a run that finds its claim gone then knows what to search for.
    if (result === SILENT) await takeNextTerm(view);
    if (mayHaveMoved) leg.lastSentAt = Date.now();
    switch (next.step) {
      case 'adopt':
        return { kind: 'placed', orderId: next.orderId, readsAtOnce: false };
      case 'refused':
        return { kind: 'gates', because: refusalOf(next, describe(result)) };
      case 'send-again':
        if (view.inbox.wantsCancel) {
          return { kind: 'unpaid', state: 'cancelled', reason: because('cancelled-by-request') };
        }
        if (next.after === 'now') break;
        if (!wasChanged(result)) await untilReachable(leg, describe(result));
        await beforeNextSend(leg);
        return { kind: 'gates', because: wasChanged(result) ? 'changed' : undefined };
      case 'switched-off':
        return { kind: 'gates', because: { switchedOff: next.scope } };
      case 'resolve':
        if (!mayHaveMoved) await beforeResend(leg);
        looksFirst = true;
        break;
    }
  }
}

/**
 * Any failure without an explicit class (timeout, lost worker, unknown) is ambiguous: the bytes may have been sent even if the
 * store does not show it.
 */
async function attempt(leg: OrderLeg): Promise<AttemptResult> {
  return (await answerOrUndefined(() => leg.plan.send(leg.known))) ?? SILENT;
}

/** The sender found that what it read differs from what is stored. */
const wasChanged = (result: AttemptResult): boolean => result.outcome === 'not-sent' && result.why === 'changed';

const SILENT: AttemptResult = { outcome: 'ambiguous', why: 'the sender gave no answer' };

/** Nothing was sent: waits until the bank answers. */
async function untilReachable({ view, plan, terms }: OrderLeg, why: string): Promise<void> {
  await view.enter(plan.submitting, because('bank-unreachable', why));
  await untilCancelRequested(view.inbox, terms.waits.patienceMs, () => polls.awaitBank({ accountId: view.accountId }));
}

/** Waits longer each time while sends still do not get through. */
async function beforeNextSend(leg: OrderLeg): Promise<void> {
  const { view, ineffectiveSends } = leg;
  leg.ineffectiveSends += 1;
  if (ineffectiveSends === 0 || view.inbox.wantsCancel) return;
  await condition(() => view.inbox.wantsCancel, pauseAfter(leg, ineffectiveSends - 1));
}

/** A resend moved nothing. An order in doubt cannot be cancelled, so only time leads to the next resend. */
async function beforeResend(leg: OrderLeg): Promise<void> {
  await sleep(pauseAfter(leg, leg.ineffectiveSends), { summary: 'the resend has moved nothing' });
  leg.ineffectiveSends += 1;
}

function pauseAfter({ terms }: OrderLeg, ineffectiveSends: number): number {
  const { lookAgainMs, lookAgainMaxMs } = terms.waits;
  return doublingPause(ineffectiveSends, lookAgainMs, lookAgainMaxMs * 12);
}

/** A clean refusal as an obstacle, which the gates handle; `repeatedly`: what the bank said again and again. */
const refusalOf = ({ meaning, isRepeated }: Refused, said: string) => ({
  obstacle: meaning.kind === 'await-funds' ? meaning : { kind: meaning.kind, reason: because(meaning.reason, said) },
  ...(isRepeated && meaning.kind !== 'fail' ? { repeatedly: said } : {}),
});

function describe(result: AttemptResult): string {
  switch (result.outcome) {
    case 'accepted':
      return `accepted as order ${result.orderId}`;
    case 'not-sent':
    case 'ambiguous':
      return `${result.outcome} (${result.why})`;
    case 'refused':
      return `refused: ${bankSays(result.condition, result.code)}`;
    case 'exists':
      return 'the bank says the reference exists';
  }
}
