import { workflowInfo } from '@temporalio/workflow';
import type { PreparedCard, StoredCardState } from '../../activities/cards.ts';
import {
  CARD_ENDS,
  type CardEnd,
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
  NOTHING_SENT,
} from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { ExecutionView, Inbox, TwoPeople } from '../execution.ts';
import type { ResolveCardUpdate } from '../messages.ts';
import { localReads, recordCardState } from '../proxies.ts';
import { lastingAttributes, payoutState, type SearchAttributes } from '../search-attributes.ts';
import { begun, type Completions, type Placed, type Position, UNSENT } from './position.ts';

/** States that lists show by name; the others appear as `processing`, so that a payment upserts rarely. */
const SHOWN: readonly CardState[] = ['awaiting-card', 'awaiting-cardholder', 'needs-operator', ...CARD_ENDS];

type ReadyCard = Extract<PreparedCard, { kind: 'ready' }>;

/** The store has an end for this payment that this run did not give it. */
export class EndedElsewhere extends Error {
  override readonly name = 'EndedElsewhere';
}

/** A card payment and what it shows of itself. Of a card it never holds more than handle, first six and last four digits. */
export class CardExecution extends ExecutionView<CardState> {
  readonly what = 'card payment';
  readonly inbox = new Inbox<ResolveCardUpdate>();
  readonly people = new TwoPeople();
  readonly merchantRequestId: string;
  readonly position: Position;
  private readonly asked: CardPaymentInput;
  claim: ReadyCard | undefined;

  constructor(input: Partial<CardPaymentInput>) {
    super('received');
    this.asked = input as CardPaymentInput;
    this.merchantRequestId = input.merchant_request_id ?? '';
    this.position = begun(input);
    this.shown = workflowInfo().typedSearchAttributes.get(payoutState);
  }

  /** What the claim of the payment says of it. */
  get ready(): ReadyCard {
    if (this.claim === undefined) throw new Error('the card payment is not claimed yet');
    return this.claim;
  }

  get terms(): ReadyCard['terms'] {
    return this.ready.terms;
  }

  get phase(): Position['phase'] {
    return this.position.phase;
  }

  /** The payment that is followed. */
  get placed(): Placed {
    if (this.phase.name !== 'placed') throw new Error(`the card payment is ${this.phase.name}`);
    return this.phase;
  }

  /** Something that could take money may have been sent: the amount can no longer be changed, nor the payment cancelled. */
  get isSent(): boolean {
    return this.phase.name === 'ended' ? this.phase.isSent : this.phase.name !== 'unsent';
  }

  /** Id of the payment that is, or was last, followed. */
  get paymentId(): string | null {
    return 'paymentId' in this.phase ? this.phase.paymentId : (this.position.over.at(-1) ?? null);
  }

  private get paymentStatus(): string | null {
    return 'status' in this.phase ? this.phase.status : null;
  }

  /** The card given, while a vault has it. */
  get card(): CardHandle | undefined {
    return this.position.isCardLost ? undefined : this.position.card;
  }

  /** The create is sent without a 3DS setup; if it is declined for that, the payment starts over with one. */
  get skipsSetUp(): boolean {
    return this.position.skipsSetUp && this.position.creation === 0;
  }

  /** Takes over what earlier runs sent, and what was received about the payment they followed. */
  takesOver(ready: ReadyCard): void {
    const { position } = this;
    const { creation, attempts, inDoubtSince, resumes, resumed, ...earlier } = { ...NOTHING_SENT, ...ready.earlier };
    const { before = [], events = [], paymentId = null, referenceId = null, openResume: resume } = earlier;
    this.claim = ready;
    // Unless the amount was changed in the meantime.
    if (position.amount === this.asked.amount) position.amount = ready.amount;
    Object.assign(position, { creation, attempts, inDoubtSince, resumes, resumed });
    position.resume = resume && { ...resume, resumedBefore: true, inDoubt: true };
    position.skipsSetUp ||= earlier.wantsSetUp === true;
    position.over = [...new Set([...position.over, ...before])];
    for (const event of events) this.receive(event);
    position.phase = inDoubtSince === null ? UNSENT : { name: 'sent', referenceId };
    if (paymentId === null) return;
    this.follows(paymentId, { referenceId, action: earlier.wantsSetUp === true ? 'set-up' : 'none' });
  }

  takesCard(card: CardHandle): void {
    Object.assign(this.position, { card, isCardLost: false });
    this.note('card given');
  }

  /** The vault says that the card is gone: the gateway that held it, or the card's time, is over. */
  losesCard(): void {
    this.position.isCardLost = true;
    this.show(this.state, because('card-lost'));
  }

  changesSum(amount: string, currency = this.position.currency): void {
    Object.assign(this.position, { amount, currency });
  }

  /** The browser collects the device fingerprint with `info`; null: it does not. */
  collects(info: unknown): void {
    const isCollected = info !== null && this.phase.name === 'unsent' && this.phase.isCollected;
    this.position.phase = { name: 'unsent', dataCollectionInfo: info, isCollected };
  }

  fingerprintCollected(): void {
    if (this.phase.name === 'unsent') this.position.phase = { ...this.phase, isCollected: true };
  }

  cardholderReturned(): void {
    this.position.returns += 1;
    this.note('the browser came back');
  }

  receive(event: CardEvent): void {
    const { events } = this.position;
    const key = cardEventKey(event);
    const known = events.find((received) => cardEventKey(received) === key && received.trust === event.trust);
    const sum = known && event.trust === 'verified' ? combinedSum(known, event) : undefined;
    const isSaid = sum === undefined && (event.trust === 'verified' || event.receivedAt <= (known?.receivedAt ?? 0));
    // A hint that arrives again asks for another query.
    if (known !== undefined && isSaid) return;
    this.position.noticed += 1;
    if (known === undefined) events.push(event);
    else Object.assign(known, sum, { receivedAt: event.receivedAt });
    this.note(`event ${event.kind} ${event.status} (${event.trust})`);
  }

  /** From here on the amount is fixed. */
  sends(referenceId: string | null): void {
    this.position.phase = { name: 'sent', referenceId };
    this.show('submitting');
  }

  /** The attempt used up the session and sent nothing: the next one needs a new session, and may have another amount. */
  sentNothing(): void {
    this.position.phase = UNSENT;
  }

  /** Takes in the answer of a POST: it says how to continue, and ends nothing. `referenceId`: of another session than this run's. */
  answered(payment: CardPaymentView, referenceId?: string | null): void {
    const { paymentId, status } = payment;
    const others = without(paymentId, this.position.differingAnswers);
    const differs = conflictOf(payment, this.expected) !== undefined;
    this.position.differingAnswers = differs ? [...others, { ...payment, status: '' }] : others;
    const shown = { status: status === '' ? null : status, action: actionOf(payment) };
    if (this.phase.name === 'placed') Object.assign(this.phase, shown);
    else this.places(paymentId, { ...shown, ...(referenceId === undefined ? {} : { referenceId }) });
    this.note(`answered ${status}`);
  }

  /** Follows a payment that an event or people named and that has not been queried. */
  follows(paymentId: string, made: Partial<Placed> = {}): void {
    this.places(paymentId, { status: null, action: 'none', ...made });
    this.note('a payment was named');
  }

  private places(paymentId: string, made: Pick<Placed, 'status' | 'action'> & Partial<Placed>): void {
    const { phase } = this;
    const before = phase.name === 'placed' || phase.name === 'sent' ? phase : { referenceId: null };
    const served = this.position.resumed ? this.completions : { noticed: 0, claimed: 0 };
    const counters = { challengeUntil: 0, receivedBefore: 0, quiet: 0, failures: 0 };
    this.position.phase = { served, ...counters, ...before, name: 'placed', paymentId, since: Date.now(), ...made };
  }

  /** Takes in what retrieve shows. */
  saw(payment: CardPaymentView): void {
    const { position, phase } = this;
    position.reads = [...without(payment.paymentId, position.reads), payment];
    if (phase.name !== 'placed' || payment.paymentId !== phase.paymentId) return;
    phase.status = payment.status;
    const action = actionOf(payment);
    const isKnown = action === 'unusable' && typeof phase.action === 'object';
    if (payment.nextAction !== null && !isKnown) phase.action = action;
    this.note(`retrieved ${payment.status}`);
  }

  /** The followed payment took nothing: starts over with another create, for which its amount does not matter any more. */
  beginsAgain(): void {
    const { position, placed } = this;
    position.over.push(placed.paymentId);
    // If it is reported again it is queried again.
    position.reads = without(placed.paymentId, position.reads);
    position.differingAnswers = without(placed.paymentId, position.differingAnswers);
    Object.assign(position, { creation: position.creation + 1, attempts: 0, inDoubtSince: null });
    position.phase = UNSENT;
  }

  ends(as: CardEnd, reason: Reason | null, paymentId = this.paymentId): undefined {
    this.position.phase = { name: 'ended', as, reason, paymentId, status: this.paymentStatus, isSent: this.isSent };
  }

  /** Grows with everything received about the payment. */
  get received(): number {
    return this.position.noticed + this.position.returns;
  }

  isRead(paymentId: string): boolean {
    return this.position.reads.some((read) => read.paymentId === paymentId);
  }

  /** What is known of each payment. The answer of a POST says nothing about its status. */
  get shownPayments(): CardPaymentView[] {
    const { reads, differingAnswers: answers } = this.position;
    const answerOf = (id: string) => answers.find(({ paymentId }) => paymentId === id);
    const withAnswers = reads.map((read) => ({ ...answerOf(read.paymentId), ...read }));
    return [...withAnswers, ...answers.filter(({ paymentId }) => !this.isRead(paymentId))];
  }

  /** What the acquirer must show for every payment of this intent. */
  get expected() {
    const { amount, currency } = this.position;
    const { create = [], resume = [] } = this.claim?.requestIds ?? {};
    return { amount, currency, requestIds: [...create, ...resume] };
  }

  /** Whether a verified event reported the end of this payment. */
  endReceived(paymentId: string): boolean {
    return this.position.events.some(
      (event) => event.paymentId === paymentId && event.trust === 'verified' && endOfStatus(event.status) !== undefined,
    );
  }

  get completions(): Completions {
    const notices = this.position.events.filter(({ kind }) => kind === 'completion');
    const noticed = notices.filter(({ trust }) => trust === 'verified').length;
    return { noticed, claimed: notices.length - noticed + this.position.returns };
  }

  /** The payment that, by a verified event, has taken the money. */
  get takenBy(): string | undefined {
    return this.position.events.find(
      ({ kind, trust, status, paymentId }) =>
        kind === 'status' &&
        trust === 'verified' &&
        endOfStatus(status) === 'succeeded' &&
        !this.position.foreign.includes(paymentId),
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
    const { merchantRequestId, asked } = this;
    const { amount, currency, card } = this.position;
    const ids = { paymentId: this.paymentId ?? undefined, bin: card?.bin, lastFour: card?.last_four };
    return recordCardState({ merchantRequestId, asked, ...change, amount, currency, ...ids }, summary);
  }

  view(): CardStateView {
    const { phase } = this;
    return {
      state: this.state,
      reason: this.reason,
      merchant_request_id: this.merchantRequestId,
      payment_id: this.paymentId,
      payment_status: this.paymentStatus,
      amount: this.position.amount,
      currency: this.position.currency,
      bin: this.card?.bin ?? null,
      last_four: this.card?.last_four ?? null,
      next_action:
        this.state === 'awaiting-cardholder' && phase.name === 'placed' && typeof phase.action === 'object'
          ? phase.action
          : null,
      data_collection_info: phase.name === 'unsent' ? phase.dataCollectionInfo : null,
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
    return this.shown === undefined
      ? lastingAttributes(this.merchantRequestId, { currency: this.position.currency })
      : {};
  }

  protected details(): [string, string][] {
    return [
      [`card payment: ${this.position.amount} ${this.position.currency}`, this.state],
      ['why', this.reason?.message ?? ''],
      ['payment', this.paymentId ?? ''],
      ['payment status', this.paymentStatus ?? ''],
      ['card', this.card === undefined ? '' : `${this.card.bin} ... ${this.card.last_four}`],
    ];
  }
}

const without = (id: string, payments: CardPaymentView[]) => payments.filter(({ paymentId }) => paymentId !== id);

function actionOf({ status, nextAction }: CardPaymentView): Placed['action'] {
  if (nextAction === null) return status === 'REQUIRES_ACTION' ? 'set-up' : 'none';
  const { type, verifyUrl } = nextAction;
  return verifyUrl == null ? 'unusable' : { type, verify_url: verifyUrl };
}

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
