import { condition, sleep } from '@temporalio/workflow';
import { because } from '../../domain/reasons.ts';
import { type AttemptResult, afterAttempt, bankSays, type Refused } from '../../domain/submission.ts';
import { doublingPause } from '../../domain/time.ts';
import { answerOrUndefined, polls, sends } from '../proxies.ts';
import { followOrder } from './follow.ts';
import type { Gates } from './gates.ts';
import { type BackToGates, type OrderEnd, OrderState, type Unpaid } from './order-state.ts';
import { resolveOrder } from './resolve.ts';
import { takeNextTerm, untilCancelRequested } from './waits.ts';

/** The activity that sends an order of each kind, and what it does, for people. */
const SENDERS = {
  payment: { submit: sends.submitPayment, does: 'pays' },
  transfer: { submit: sends.submitTransfer, does: 'transfers' },
  exchange: { submit: sends.submitExchange, does: 'buys' },
} as const;

/**
 * One order under one reference, from its first attempt to its end. A row is gates around an exchange, if it needs one, and the
 * order that ends it.
 */
export class Order extends OrderState {
  /** Places the order and follows it to its end. Never interrupted by a cancel. */
  async run(gates: Gates): Promise<OrderEnd | BackToGates> {
    const placed = await this.place(gates);
    if (placed.kind === 'unpaid') return this.ends({ ...placed, isStored: false });
    if (placed.kind !== 'placed') return placed;
    this.memory.placedIds = [...new Set([...this.memory.placedIds, this.placed.orderId])];
    this.view.show(this.shows.following);
    return this.ends(await this.follow());
  }

  /**
   * One POST per attempt; an unknown outcome leads to a search, so does a refusal after one, and the same reference is sent again
   * only if the searches allow it.
   */
  async place(gates: Gates): Promise<{ kind: 'placed' } | Unpaid | BackToGates> {
    const { view, shows } = this;
    let searchesFirst = this.isUnresolved;
    for (;;) {
      if (searchesFirst) {
        const resolved = await this.resolve(gates);
        if (resolved.kind !== 'resend') return resolved;
        searchesFirst = false;
      }
      view.show(shows.submitting);
      this.memory.firstSentAt ??= Date.now();
      const { result, next, mayHaveMoved } = await this.attempt();
      switch (next.step) {
        case 'adopt':
          return this.follows(next.orderId);
        case 'refused':
          return { kind: 'gates', because: refusalOf(next, describe(result)) };
        case 'send-again':
          if (view.wantsCancel) return { kind: 'unpaid', state: 'cancelled', reason: because('cancelled-by-request') };
          if (next.after === 'now') break;
          if (!wasChanged(result)) await this.untilReachable(describe(result));
          await this.beforeNextSend();
          return { kind: 'gates', because: wasChanged(result) ? 'changed' : undefined };
        case 'switched-off':
          return { kind: 'gates', because: { switchedOff: next.scope } };
        case 'resolve':
          if (!mayHaveMoved) await this.beforeResend();
          searchesFirst = true;
          break;
      }
    }
  }

  /** After an unknown outcome: the order is found, proven absent, or left to people. */
  resolve(gates: Gates): ReturnType<typeof resolveOrder> {
    return resolveOrder(this, gates);
  }

  /** To the end of the order, once it is placed. */
  follow(): Promise<OrderEnd> {
    return followOrder(this);
  }

  /** One POST, and what is known after it. */
  private async attempt() {
    const { view, memory, known: before } = this;
    const result = await this.send(before.attempts + 1, before.lastLeft);
    const mayHaveMoved = result.outcome !== 'not-sent' && result.outcome !== 'refused';
    const { known, next } = afterAttempt(before, result);
    memory.noAnswer = result === UNANSWERED && !before.tainted ? { attempt: known.attempts, before } : undefined;
    this.learns(known);
    if (mayHaveMoved) this.ineffectiveSends = 0;
    view.note(`attempt ${known.attempts}: ${describe(result)}`);
    // After `known` is updated: a run that finds its claim gone then knows what to search for.
    if (result === UNANSWERED) await takeNextTerm(view);
    if (mayHaveMoved) memory.lastSentAt = Date.now();
    return { result, next, mayHaveMoved };
  }

  /**
   * Any failure without an explicit class (timeout, lost worker, unknown) is ambiguous: the bytes may have been sent even if the
   * store does not show it.
   */
  private async send(attempt: number, lastLeft: number): Promise<AttemptResult> {
    const { claim, input } = this.view;
    const { currency = '', amount = '' } = input;
    const { submit, does } = SENDERS[this.kind];
    const what = this.endsRow ? `${currency} ${amount}` : `${currency} for ${amount} and the fee`;
    const options = { summary: `${does} ${what}, attempt ${attempt}` };
    const answer = await answerOrUndefined(() => submit.executeWithOptions(options, [{ claim, attempt, lastLeft }]));
    return answer ?? UNANSWERED;
  }

  /** Nothing was sent: waits until the bank answers. */
  private async untilReachable(why: string): Promise<void> {
    const { view, shows, terms } = this;
    const { accountId } = view;
    await view.enter(shows.submitting, because('bank-unreachable', why));
    await untilCancelRequested(view, terms.waits.patienceMs, () => polls.awaitBank({ accountId }));
  }

  /** Waits longer each time while sends still do not get through. */
  private async beforeNextSend(): Promise<void> {
    const { view, ineffectiveSends } = this;
    this.ineffectiveSends += 1;
    if (ineffectiveSends === 0 || view.wantsCancel) return;
    await condition(() => view.wantsCancel, this.pauseAfter(ineffectiveSends - 1));
  }

  /** A resend moved nothing. An order in doubt cannot be cancelled, so only time leads to the next resend. */
  private async beforeResend(): Promise<void> {
    await sleep(this.pauseAfter(this.ineffectiveSends), { summary: 'the resend has moved nothing' });
    this.ineffectiveSends += 1;
  }

  private pauseAfter(ineffectiveSends: number): number {
    const { pollMs, pollMaxMs } = this.terms.waits;
    return doublingPause(ineffectiveSends, pollMs, pollMaxMs * 12);
  }
}

/** The sender found that what it read differs from what is stored. */
const wasChanged = (result: AttemptResult): boolean => result.outcome === 'not-sent' && result.why === 'changed';

const UNANSWERED: AttemptResult = { outcome: 'ambiguous', why: 'the sender gave no answer' };

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
