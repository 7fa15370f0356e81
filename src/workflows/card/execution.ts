import { workflowInfo } from '@temporalio/workflow';
import type { PreparedCard, StoredCardState } from '../../activities/cards.ts';
import {
  CARD_ENDS,
  type CardEvent,
  type CardHandle,
  type CardPaymentInput,
  type CardPaymentView,
  type CardState,
  type CardStateView,
  cardEventKey,
  combinedSum,
  conflictOf,
  endOfStatus,
  isCardEnd,
} from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { ExecutionView, Inbox, TwoPeople } from '../execution.ts';
import type { ResolveCardUpdate } from '../messages.ts';
import { localReads, recordCardState } from '../proxies.ts';
import { lastingAttributes, payoutState, type SearchAttributes } from '../search-attributes.ts';

/** States that lists show by name; the others appear as `processing`, so that a payment upserts rarely. */
const SHOWN: readonly CardState[] = ['awaiting-card', 'awaiting-cardholder', 'needs-operator', ...CARD_ENDS];

export type ReadyCard = Extract<PreparedCard, { kind: 'ready' }>;

/** The store has an end for this payment that this run did not give it. */
export class EndedElsewhere extends Error {
  override readonly name = 'EndedElsewhere';
}

/** What a card payment knows. Of a card it never holds more than handle, first six and last four digits. */
export class CardExecution extends ExecutionView<CardState> {
  readonly what = 'card payment';
  readonly inbox = new Inbox<ResolveCardUpdate>();
  readonly people = new TwoPeople();
  amount: string;
  readonly merchantRequestId: string;
  currency: string;

  card: CardHandle | undefined;
  paymentId: string | null = null;
  paymentStatus: string | null = null;
  nextAction: { type: string; verify_url: string } | null = null;
  /** The create's answer asked for 3DS but named no action: declined because a 3DS setup was missing. */
  declinedForSetUp = false;
  /** An action was named, even if browsers may not be sent to its address. */
  asksForAction = false;
  /** The card last used for a 3DS setup or a create. */
  spent: CardHandle | undefined;
  /** A resume may have been executed: only the acquirer can then end the payment. */
  resumed = false;
  dataCollectionInfo: unknown = null;

  /** Events received, each once. */
  readonly events: CardEvent[] = [];
  /** The last query result for each payment. */
  readonly views = new Map<string, CardPaymentView>();
  /** Answers of a POST that differed from what was requested; a query result takes precedence. */
  private readonly differingAnswers = new Map<string, CardPaymentView>();
  /** Payments that events named and that are not shown as ours, or belong to another intent. */
  readonly foreign = new Set<string>();
  /** Payments that were followed by another create: events no longer name them. */
  readonly over = new Set<string>();
  /** Every merchant_request_id sent for this intent. */
  readonly requestIds: string[] = [];

  fingerprintDone = false;
  /** How often the cardholder's browser returned. */
  returns = 0;
  /** Something that could take money may have been sent: the amount can no longer be changed, nor the payment cancelled. */
  sent = false;
  private noticed = 0;
  private readonly asked: CardPaymentInput;
  /** Set by the claim; see `ready`. */
  held: ReadyCard | undefined;

  constructor(input: Partial<CardPaymentInput>) {
    super('received');
    this.asked = input as CardPaymentInput;
    this.merchantRequestId = input.merchant_request_id ?? '';
    this.amount = input.amount ?? '';
    this.currency = input.currency ?? '';
    this.card = input.card;
    this.shown = workflowInfo().typedSearchAttributes.get(payoutState);
  }

  /** What the claim of the payment says of it. */
  get ready(): ReadyCard {
    if (this.held === undefined) throw new Error('the card payment is not claimed yet');
    return this.held;
  }

  get terms(): ReadyCard['terms'] {
    return this.ready.terms;
  }

  cardholderReturned(): void {
    this.returns += 1;
    this.note('the browser came back');
  }

  receive(event: CardEvent): void {
    const key = cardEventKey(event);
    const known = this.events.find((received) => cardEventKey(received) === key && received.trust === event.trust);
    const sum = known && event.trust === 'verified' ? combinedSum(known, event) : undefined;
    const isSaid = sum === undefined && (event.trust === 'verified' || event.receivedAt <= (known?.receivedAt ?? 0));
    // A hint that arrives again asks for another query.
    if (known !== undefined && isSaid) return;
    this.noticed += 1;
    if (known === undefined) this.events.push(event);
    else Object.assign(known, sum, { receivedAt: event.receivedAt });
    this.note(`event ${event.kind} ${event.status} (${event.trust})`);
  }

  /** Takes in the answer of a POST: it says how to continue, and ends nothing. */
  answered(payment: CardPaymentView): void {
    const { paymentId, status, nextAction } = payment;
    const isOther = conflictOf(payment, this.expectation()) !== undefined;
    if (isOther) this.differingAnswers.set(paymentId, { ...payment, status: '' });
    else this.differingAnswers.delete(paymentId);
    this.paymentId = paymentId;
    this.paymentStatus = status === '' ? null : status;
    this.asksForAction = nextAction !== null;
    this.declinedForSetUp = status === 'REQUIRES_ACTION' && nextAction === null;
    this.nextAction = browserAction(nextAction);
    this.note(`answered ${status}`);
  }

  /** Follows a payment that an event or people named and that has not been queried. */
  follows(paymentId: string): void {
    this.paymentId = paymentId;
    this.paymentStatus = null;
    this.asksForAction = false;
    this.declinedForSetUp = false;
    this.note('a payment was named');
  }

  /** Takes in what retrieve shows. */
  saw(payment: CardPaymentView): void {
    this.views.set(payment.paymentId, payment);
    if (payment.paymentId !== this.paymentId) return;
    this.paymentStatus = payment.status;
    if (payment.nextAction !== null) {
      this.asksForAction = true;
      this.nextAction = browserAction(payment.nextAction) ?? this.nextAction;
    }
    this.note(`retrieved ${payment.status}`);
  }

  /** The followed payment took nothing, and another create may be sent. */
  setAside(): void {
    if (this.paymentId !== null) this.over.add(this.paymentId);
    // If it is reported again it is queried again; until then its amount does not matter.
    this.views.delete(this.paymentId ?? '');
    this.differingAnswers.delete(this.paymentId ?? '');
    this.sent = false;
  }

  /** Grows with everything received about the payment. */
  get received(): number {
    return this.noticed + this.returns;
  }

  /** What is known of each payment. The answer of a POST says nothing about its status. */
  get shownPayments(): CardPaymentView[] {
    const { views, differingAnswers: answers } = this;
    const withAnswers = [...views.values()].map((read) => ({ ...answers.get(read.paymentId), ...read }));
    return [...withAnswers, ...[...answers.values()].filter(({ paymentId }) => !views.has(paymentId))];
  }

  /** What the acquirer must show for every payment of this intent. */
  expectation(): { amount: string; currency: string; requestIds: readonly string[] } {
    const { amount, currency, requestIds } = this;
    return { amount, currency, requestIds };
  }

  /** Whether a verified event reported the end of this payment. */
  endReceived(paymentId: string): boolean {
    return this.events.some(
      (event) => event.paymentId === paymentId && event.trust === 'verified' && endOfStatus(event.status) !== undefined,
    );
  }

  /** How often the challenge was reported as completed: `noticed` by verified notices, `claimed` by anybody else. */
  get completions(): { noticed: number; claimed: number } {
    const notices = this.events.filter(({ kind }) => kind === 'completion');
    const noticed = notices.filter(({ trust }) => trust === 'verified').length;
    return { noticed, claimed: notices.length - noticed + this.returns };
  }

  /** The payment that, by a verified event, has taken the money. */
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
   * Moves to a state that lists and the store must show; returns what is stored then: the first end wins. Throws `EndedElsewhere`
   * if the store has an end and `state` is none.
   */
  async enter(state: CardState, reason: Reason | null = null): Promise<StoredCardState | undefined> {
    const unchanged = state === this.state && reason?.message === this.reason?.message;
    this.show(state, reason);
    if (unchanged) return undefined;
    const stored = await this.record({ state, reason }, reason === null ? state : `${state}: ${reason.code}`);
    if (isCardEnd(stored.state) && !isCardEnd(state)) throw new EndedElsewhere();
    return stored;
  }

  /** Writes what changed; an omitted state stays as it is. */
  record(change: { state?: CardState; reason?: Reason | null }, summary: string): Promise<StoredCardState> {
    const { merchantRequestId, asked, amount, currency } = this;
    const card = this.card ?? this.spent;
    const ids = { paymentId: this.paymentId ?? undefined, bin: card?.bin, lastFour: card?.last_four };
    return recordCardState({ merchantRequestId, asked, ...change, amount, currency, ...ids }, summary);
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
      data_collection_info: this.state === 'awaiting-fingerprint' ? this.dataCollectionInfo : null,
      evidence: this.evidence,
    };
  }

  get hasEnded(): boolean {
    return isCardEnd(this.state);
  }

  protected listed(): { visible: string; needsAttention: boolean } {
    const { state } = this;
    return { visible: SHOWN.includes(state) ? state : 'processing', needsAttention: state === 'needs-operator' };
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

/** What retrieve shows of a payment now; undefined if the acquirer does not answer. Does not check whose payment it is. */
export const retrieve = (paymentId: string): Promise<CardPaymentView | undefined> =>
  localReads.retrievePayment
    .executeWithOptions({ summary: 'retrieves the payment' }, [{ paymentId }])
    .catch(() => undefined);

/** Queries a payment of this intent; without an answer nothing changes. */
export async function readPayment(execution: CardExecution, paymentId: string): Promise<CardPaymentView | undefined> {
  const view = await retrieve(paymentId);
  if (view === undefined) execution.note('retrieve did not answer');
  else execution.saw(view);
  return view;
}
