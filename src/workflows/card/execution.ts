import { patched, workflowInfo } from '@temporalio/workflow';
import { conflictOf } from '../../domain/card-judgement.ts';
import {
  type CardEvent,
  type CardHandle,
  type CardPaymentInput,
  type CardPaymentView,
  type CardState,
  type CardStateView,
  cardEventKey,
  endOfStatus,
  isCardEnd,
} from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { StoredCardState } from '../../services/cards/record-card-state.ts';
import { Inbox } from '../execution/inbox.ts';
import { ExecutionView } from '../execution/view.ts';
import { call } from '../proxies.ts';
import { lastingAttributes, payoutState, type SearchAttributes } from '../search-attributes.ts';
import type { ResolveCardUpdate } from './messages.ts';

/** States that lists show by name; the others are `processing` there, so that a payment upserts seldom. */
const SHOWN: ReadonlySet<CardState> = new Set([
  'awaiting-card',
  'awaiting-cardholder',
  'needs-operator',
  'succeeded',
  'failed',
  'cancelled',
]);

/** The store has an end of this payment that this run did not give it. */
export class EndedElsewhere extends Error {
  override readonly name = 'EndedElsewhere';
}

/** What one card payment knows. It never holds more of a card than its handle, first six and last four digits. */
export class CardExecution extends ExecutionView<CardState> {
  readonly what = 'card payment';
  readonly inbox = new Inbox<ResolveCardUpdate>();
  amount: string;
  readonly merchantRequestId: string;
  readonly currency: string;

  card: CardHandle | undefined;
  paymentId: string | null = null;
  paymentStatus: string | null = null;
  nextAction: { type: string; verify_url: string } | null = null;
  /** The answer to the create asked for 3-D Secure and named no way to it: declined for want of a set-up. */
  declinedForSetUp = false;
  /** An action was named, whether or not browsers may be sent to its address. */
  asksForAction = false;
  /** An answer was lost or people were asked, whatever has been learned since: no other card is asked for then. */
  uncertain = false;
  /** The card that was last used for a set-up or a create. */
  spent: CardHandle | undefined;
  /** Cards that have taken nothing, and how many may still be given; null before the first of them. */
  cardsOver = 0;
  cardsLeft: number | null = null;
  /** A resume may have been executed: then only the acquirer ends the payment. */
  resumed = false;
  dataCollectionInfo: unknown = null;

  /** Events heard, each once. */
  readonly events: CardEvent[] = [];
  /** The last look at each payment. */
  readonly looks = new Map<string, CardPaymentView>();
  /** Answers of a POST that showed something else than was asked for; what a look shows counts before it. */
  private readonly differingAnswers = new Map<string, CardPaymentView>();
  /** Payments that unverified events named, and that the acquirer does not show as ours. */
  readonly foreign = new Set<string>();
  /** Payments that were followed by another create: they name nothing any more. */
  readonly over = new Set<string>();
  /** Of these, those that were shown as failed. */
  readonly declined = new Set<string>();
  /** Every merchant_request_id sent for this intent. */
  readonly requestIds: string[] = [];

  fingerprintDone = false;
  /** Times the cardholder's browser came back. */
  returns = 0;
  /** The amount may be changed and the payment cancelled as long as nothing was sent that could take money. */
  sent = false;

  private noticed = 0;

  constructor(input: Partial<CardPaymentInput>) {
    super('received');
    this.merchantRequestId = input.merchant_request_id ?? '';
    this.amount = input.amount ?? '';
    this.currency = input.currency ?? '';
    this.card = input.card;
    this.shown = workflowInfo().typedSearchAttributes.get(payoutState);
  }

  fingerprintCollected(): void {
    this.fingerprintDone = true;
  }

  cardholderReturned(): void {
    this.returns += 1;
    this.note('the browser came back');
  }

  hear(event: CardEvent): void {
    const key = cardEventKey(event);
    const known = this.events.find((heard) => cardEventKey(heard) === key && heard.trust === event.trust);
    // A hint that comes again asks for another look.
    if (known !== undefined && (event.trust === 'verified' || event.receivedAt <= known.receivedAt)) return;
    this.noticed += 1;
    if (known !== undefined) known.receivedAt = event.receivedAt;
    else this.events.push(event);
    this.note(`event ${event.kind} ${event.status} (${event.trust})`);
  }

  /** The answer of a POST: it says where to go on, and ends nothing. */
  answered(payment: CardPaymentView): void {
    const { paymentId, status, nextAction } = payment;
    const isOther = conflictOf(payment, this.expectation()) !== undefined;
    if (isOther && patched('compares-the-answer-of-a-post'))
      this.differingAnswers.set(paymentId, { ...payment, status: '' });
    else this.differingAnswers.delete(paymentId);
    this.paymentId = paymentId;
    this.paymentStatus = status === '' ? null : status;
    this.asksForAction = nextAction !== null;
    this.declinedForSetUp = status === 'REQUIRES_ACTION' && nextAction === null;
    this.nextAction = browserAction(nextAction);
    this.note(`answered ${status}`);
  }

  /** A payment that an event or people have named, and that nobody has looked at. */
  follows(paymentId: string): void {
    this.paymentId = paymentId;
    this.paymentStatus = null;
    this.asksForAction = false;
    this.declinedForSetUp = false;
    this.note('a payment was named');
  }

  /** What retrieve shows. */
  saw(payment: CardPaymentView): void {
    this.looks.set(payment.paymentId, payment);
    if (payment.paymentId !== this.paymentId) return;
    this.paymentStatus = payment.status;
    if (payment.nextAction !== null) {
      this.asksForAction = true;
      this.nextAction = browserAction(payment.nextAction) ?? this.nextAction;
    }
    this.note(`retrieved ${payment.status}`);
  }

  /** The payment that was followed has taken nothing, and another create may be sent. */
  setAside(): void {
    if (this.paymentId !== null) this.over.add(this.paymentId);
    // Should it be heard of again, it is looked at again; until then its amount is of no account.
    this.looks.delete(this.paymentId ?? '');
    this.differingAnswers.delete(this.paymentId ?? '');
    this.sent = false;
  }

  /** The payment that was followed is shown as failed. */
  decline(): void {
    if (this.paymentId !== null) this.declined.add(this.paymentId);
  }

  /** The card in use has taken nothing. One that was given since stays in hand. */
  cardOver(left: number): void {
    this.setAside();
    this.paymentId = null;
    this.paymentStatus = null;
    this.nextAction = null;
    this.asksForAction = false;
    this.declinedForSetUp = false;
    this.resumed = false;
    if (this.card?.handle === this.spent?.handle) this.card = undefined;
    this.cardsOver += 1;
    this.cardsLeft = left;
  }

  /** Grows with everything that was heard about the payment. */
  get heard(): number {
    return this.noticed + this.returns;
  }

  /** What is shown of each payment. An answer says nothing of its status. */
  get shownPayments(): CardPaymentView[] {
    const { looks, differingAnswers: answers } = this;
    const looked = [...looks.values()].map((look) => ({ ...answers.get(look.paymentId), ...look }));
    return [...looked, ...[...answers.values()].filter(({ paymentId }) => !looks.has(paymentId))];
  }

  /** What was heard. Runs that began earlier compare no sum with what was asked for. */
  get statements(): CardEvent[] {
    const differs = this.events.some((event) => conflictOf(event, this.expectation()) !== undefined);
    if (!differs || patched('compares-the-sum-of-an-event')) return this.events;
    return this.events.map((event) => ({ ...event, amount: null, currency: null }));
  }

  /** What the acquirer must show of every payment of this intent. */
  expectation(): { amount: string; currency: string; requestIds: readonly string[]; declined: readonly string[] } {
    const { amount, currency, requestIds, declined } = this;
    return { amount, currency, requestIds, declined: [...declined] };
  }

  /** A verified event has said that this payment is over. */
  endHeard(paymentId: string): boolean {
    return this.events.some(
      (event) => event.paymentId === paymentId && event.trust === 'verified' && endOfStatus(event.status) !== undefined,
    );
  }

  /** How often a verified notice said that the challenge is completed; and the browser, or an unverified notice. */
  get completions(): { noticed: number; claimed: number } {
    const notices = this.events.filter(({ kind }) => kind === 'completion');
    const noticed = notices.filter(({ trust }) => trust === 'verified').length;
    return { noticed, claimed: notices.length - noticed + this.returns };
  }

  /** A payment that a verified event says has taken the money. */
  get takenBy(): string | undefined {
    return this.events.find(
      ({ kind, trust, status, paymentId }) =>
        kind === 'status' &&
        trust === 'verified' &&
        endOfStatus(status) === 'succeeded' &&
        !this.foreign.has(paymentId),
    )?.paymentId;
  }

  /**
   * Moves to a state that lists and the store shall show; returns what is stored then: the first end wins. Throws
   * `EndedElsewhere` when this payment has an end and is not at its own.
   */
  async enter(state: CardState, reason: Reason | null = null): Promise<StoredCardState | undefined> {
    const unchanged = state === this.state && reason?.message === this.reason?.message;
    this.show(state, reason);
    if (unchanged) return undefined;
    const stored = await this.record({ state, reason }, reason === null ? state : `${state}: ${reason.code}`);
    if (isCardEnd(stored.state) && !isCardEnd(state)) throw new EndedElsewhere();
    return stored;
  }

  /** Writes what changed; a state that is left out stays as it is. */
  record(change: { state?: CardState; reason?: Reason | null }, summary: string): Promise<StoredCardState> {
    const { merchantRequestId, amount } = this;
    const card = this.card ?? this.spent;
    const paymentId = this.paymentId ?? undefined;
    const digits = { bin: card?.bin, lastFour: card?.last_four };
    return call('recordCardState', { merchantRequestId, ...change, paymentId, amount, ...digits }, summary);
  }

  view(): CardStateView {
    return {
      state: this.state,
      reason: this.reason,
      merchant_request_id: this.merchantRequestId,
      payment_id: this.paymentId,
      payment_status: this.paymentStatus,
      amount: this.amount,
      currency: this.currency,
      bin: this.card?.bin ?? null,
      last_four: this.card?.last_four ?? null,
      next_action: this.state === 'awaiting-cardholder' ? this.nextAction : null,
      cards_left: this.state === 'awaiting-card' ? this.cardsLeft : null,
      data_collection_info: this.state === 'awaiting-fingerprint' ? this.dataCollectionInfo : null,
      evidence: this.evidence,
    };
  }

  get hasEnded(): boolean {
    return isCardEnd(this.state);
  }

  protected listed(): { visible: string; needsAttention: boolean } {
    const { state } = this;
    return { visible: SHOWN.has(state) ? state : 'processing', needsAttention: state === 'needs-operator' };
  }

  protected otherAttributes(): SearchAttributes {
    return this.shown === undefined ? lastingAttributes(this.merchantRequestId, { currency: this.currency }) : {};
  }

  protected details(): [string, string][] {
    return [
      [`card payment: ${this.amount} ${this.currency}`, this.state],
      ['why', this.reason?.message ?? ''],
      ['payment', this.paymentId ?? ''],
      ['payment status', this.paymentStatus ?? ''],
      ['card', this.card === undefined ? '' : `${this.card.bin} ... ${this.card.last_four}`],
    ];
  }
}

const browserAction = (action: CardPaymentView['nextAction']): CardStateView['next_action'] =>
  action?.verifyUrl == null ? null : { type: action.type, verify_url: action.verifyUrl };
