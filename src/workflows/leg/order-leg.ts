import type { LegStart, SettledLegs } from '../../activities/payout.ts';
import type { OrderRead } from '../../activities/read.ts';
import type { Assessment } from '../../domain/gates.ts';
import type { LegKind } from '../../domain/names.ts';
import { besideExchange, type RejectedAs, unpaidEnd } from '../../domain/order-end.ts';
import type { PaidOrder } from '../../domain/order-judgement.ts';
import type { PayoutState, Reason } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import type { ExchangeProgress } from '../../domain/submission.ts';
import { type AttemptResult, mergeWithStored, NEVER_SENT, type Submission } from '../../domain/submission.ts';
import { TwoPeople } from '../execution/two-people.ts';
import type { BackToGates, Unpaid } from '../payout/gates.ts';
import type { PayoutView } from '../payout/view.ts';

export interface BankDecision {
  decision: 'approve' | 'reject';
  by: string;
  remark: string;
}

/** What distinguishes the orders of a row. */
export interface LegPlan {
  kind: LegKind;
  /** States shown during an attempt, and while the order is followed. */
  submitting: Extract<PayoutState, 'submitting' | 'converting'>;
  following: Extract<PayoutState, 'processing' | 'converting'>;
  /**
   * Whether a cancel is pursued while the order is open, by having it rejected in its audit. False for a payout's exchange: a
   * cancel acts on it only while it waits for its audit.
   */
  cancellable: boolean;
  /** One more attempt than the run knows of. */
  send(known: Submission): Promise<AttemptResult>;
  /** Why an earlier run left the order to people. */
  parked: Reason | null;
  /** The exchange that comes before it, if any. */
  earlier?: OrderLeg;
  /** An earlier run found an order of the payout stuck: people are told at once, not after the whole age limit again. */
  foundStuck: boolean;
  /** The payout ends with this order: the read that confirms the order's end stores the payout's. */
  endsPayout: boolean;
  /** With what progress to assess the payout in the activity that reads the paid order. */
  thenAssess?: ExchangeProgress;
  /** Reads the bank again before an order in doubt is resent. */
  assess(): Promise<Assessment>;
}

/** What a run remembers of a leg even if the store has forgotten it. */
export type LegMemory = Pick<OrderLeg, 'known' | 'firstSentAt' | 'lastSentAt' | 'silence' | 'placedIds'>;

/** An attempt whose sender gave no answer while nothing else was in doubt, and what was known before it. */
interface Silence {
  attempt: number;
  before: Submission;
}

export type Placed = { kind: 'placed'; orderId: string; readsAtOnce: boolean } | Unpaid | BackToGates;

export type LegResult =
  | { kind: 'paid'; read: PaidOrder & Pick<OrderRead, 'assessment'> }
  /** `isStored`: the read that confirmed the end has stored it. */
  | (Unpaid & { isStored: boolean; read?: OrderRead })
  | BackToGates;

/**
 * One order under one reference, from its first attempt to its end: what was sent, what is known of it, what was decided about
 * it. A payout is gates around an exchange and a payment.
 */
export class OrderLeg {
  readonly plan: LegPlan;
  readonly view: PayoutView;
  readonly terms: Terms;
  /** What this run knows, over all attempts. */
  known: Submission;
  firstSentAt: number | undefined;
  /** When the last attempt ended, if known. */
  lastSentAt: number | undefined;
  /** The only doubt there is: if the attempt turns out to have sent nothing, what was known before it holds again. */
  silence: Silence | undefined;
  /** Every order that this run has followed: while there is one, absence is not proven, whatever the store has forgotten. */
  placedIds: readonly string[];
  /** Attempts in a row that moved nothing, to space them. */
  ineffectiveSends = 0;
  /** Why an earlier run left the order to people, who decide before anything is sent. */
  parked: Reason | null;
  /** Read the order at once, because perhaps nothing will report it any more: a search found it. */
  readsAtOnce = false;
  /**
   * Other orders under the reference that need no decision: an operator did not choose them, or they are not shown, not ours or
   * took no money.
   */
  readonly dismissed = new Set<string>();
  /** Orders that an operator did not choose. */
  readonly setAside = new Set<string>();
  /** Fields in which the followed order may differ from what was sent: two people have said that it is the right one. */
  despite: readonly string[] = [];
  /** What people have stated beyond what the bank shows. */
  readonly people = new TwoPeople();
  /** The decision about the order's audit; passed to the bank until the order shows it. */
  decision: BankDecision | undefined;
  readonly reference: string;
  private followed: string | undefined;
  private ended: 'paid' | 'unpaid' | 'absent' | undefined;

  /** `before`: the same leg, as known to this run before it lost its claim, or to the run that handed over. */
  constructor(view: PayoutView, terms: Terms, start: LegStart, plan: LegPlan, before?: LegMemory) {
    this.view = view;
    this.terms = terms;
    this.parked = plan.parked;
    this.plan = plan;
    const { reference, submission = NEVER_SENT, isPaid, firstSentAt, lastSentAt = null, isForgotten } = start;
    this.reference = reference;
    this.firstSentAt = firstSentAt ?? before?.firstSentAt;
    // If the store has forgotten attempts, others may have sent later than this run knows; undefined then becomes the present
    // time.
    const known = isForgotten ? undefined : before?.lastSentAt;
    this.lastSentAt = lastSentAt === null ? known : Math.max(lastSentAt, known ?? 0);
    this.placedIds = before?.placedIds ?? [];
    this.known =
      before === undefined ? submission : mergeWithStored(before.known, submission, this.placedIds.length > 0);
    this.silence = isForgotten || submission.tainted ? undefined : before?.silence;
    this.ended = isPaid ? 'paid' : undefined;
  }

  /** Something was sent whose outcome this run does not know; nothing else may be done before it does. */
  get isInDoubt(): boolean {
    return this.known.tainted && this.ended === undefined;
  }

  /** The order is known to be paid. */
  get isBooked(): boolean {
    return this.ended === 'paid';
  }

  /** Some attempt may have left, so that a send would repeat it. */
  get hasLeft(): boolean {
    return this.known.lastLeft > 0;
  }

  /** Whether no statement of people is known only to this run: which order they chose, or the first of two statements. */
  get holdsNoStatement(): boolean {
    return this.dismissed.size === 0 && this.despite.length === 0 && this.people.isSilent;
  }

  /** What this run has settled: the order's end, or that nothing was executed. */
  get settled(): SettledLegs {
    if (this.known.attempts === 0 || this.isInDoubt) return { ...this.plan.earlier?.settled };
    return this.settledAs(this.ended ?? 'absent');
  }

  /** The same, if the followed order is confirmed to have taken no money. */
  get settledIfUnpaid(): SettledLegs {
    return this.settledAs('unpaid');
  }

  private settledAs(as: 'paid' | 'unpaid' | 'absent'): SettledLegs {
    const { kind, earlier } = this.plan;
    return { ...earlier?.settled, [kind]: { upTo: this.known.attempts, as } };
  }

  /** Id of the order that is followed, once there is one. */
  get orderId(): string | undefined {
    return this.followed;
  }

  /** The payout shows the order that ends it. */
  follows(orderId: string): void {
    this.followed = orderId;
    if (this.plan.endsPayout) this.view.orderId = orderId;
  }

  /** Adopts an order despite its differences once two people have said so; false: the first of them is noted. */
  adoptsDespite({ orderId, differences }: { orderId: string; differences: readonly string[] }, by: string): boolean {
    const people = this.people.agree(`adopt-order ${orderId} ${differences.join()}`, by);
    if (people === undefined) return false;
    this.despite = [...this.despite, ...differences];
    this.view.note(`order ${orderId} counts, with another ${differences.join(', ')}: said by ${people}`);
    return true;
  }

  /** As the watch read the order and stored the end. */
  paidAs(read: PaidOrder): LegResult & { kind: 'paid' } {
    this.view.bankStatus = read.status;
    this.view.note(`the bank shows ${read.status}`);
    return { kind: 'paid', read };
  }

  /** What the confirmed end of the followed order without money means for the payout. */
  unpaidBy(order: Parameters<typeof unpaidEnd>[0]): Unpaid {
    const { endsPayout, earlier } = this.plan;
    const { state, reason } = unpaidEnd(order, !endsPayout);
    return { kind: 'unpaid', state, reason: besideExchange(reason, earlier?.isBooked === true) };
  }

  /** How this run had the order rejected at the bank; only the store knows of an earlier run. */
  get rejectedAs(): RejectedAs | undefined {
    if (this.view.inbox.cancelStage === 'driven') return 'cancel';
    return this.decision?.decision === 'reject' ? 'reject' : undefined;
  }

  endedBy<Result extends LegResult>(result: Result): Result {
    if (result.kind === 'paid') this.ended = 'paid';
    if (result.kind === 'unpaid') this.ended = result.read === undefined ? 'absent' : 'unpaid';
    return result;
  }
}
