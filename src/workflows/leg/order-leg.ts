import type { SubmitInput } from '../../activities/sends.ts';
import type { ExchangeProgress } from '../../domain/exchange-progress.ts';
import type { Assessment } from '../../domain/gates.ts';
import type { TerminalMeaning } from '../../domain/order-status.ts';
import type { EndState, PayoutState, Reason } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import type { LegKind } from '../../domain/sent-order.ts';
import { lastLeftOf, NEVER_SENT, remembered, type Submission } from '../../domain/submission.ts';
import type { SettledLegs } from '../../services/payout/close.ts';
import type { PaidOrder, Submitted } from '../../services/payout/first-look.ts';
import type { LegStart } from '../../services/payout/leg-start.ts';
import type { OrderRead } from '../../services/payout/read-order.ts';
import type { RejectedAs } from '../../services/sending/decide-order.ts';
import type { BackToGates, Unpaid } from '../payout/gates.ts';
import type { PayoutView } from '../payout/view.ts';
import { TwoPeople } from './two-people.ts';

/** What a decision about the order's audit at the bank is. */
export interface BankDecision {
  decision: 'approve' | 'reject';
  by: string;
  remark: string;
}

/** In which an order of a payout differs from another one. */
export interface LegPlan {
  kind: LegKind;
  /** Shown while an attempt is under way, and while the order is followed. */
  submitting: Extract<PayoutState, 'submitting' | 'converting'>;
  following: Extract<PayoutState, 'processing' | 'converting'>;
  /** A cancel may stop the payout by having the order rejected; only the audit of an exchange can still stop it. */
  cancellable: boolean;
  /** Account that a read asks about, to learn whether the bank answers. */
  accountId: string;
  send(attempt: number, look: SubmitInput['look']): Promise<Submitted>;
  /** What an end of the order is for the payout. */
  endBy(meaning: TerminalMeaning, leg: OrderLeg): { state: EndState; reason: Reason | null };
  /** An earlier run has found an order of the payout stuck: people are told at once, not after the whole age again. */
  foundStuck: boolean;
  /** The payout ends with the order: the read that confirms the end stores it. */
  endsPayout: boolean;
  /** Read with the paid order, in one activity. */
  thenAssess?: ExchangeProgress;
  /** What is read before an order in doubt is sent again. */
  assess(): Promise<Assessment>;
}

/** What a run knows of a leg whatever a store shows. */
export type LegMemory = Pick<OrderLeg, 'known' | 'firstSentAt' | 'lastSentAt' | 'silence' | 'placedIds'>;

/** An attempt whose sender gave no answer while nothing else was in doubt, and what was known before it. */
interface Silence {
  attempt: number;
  before: Submission;
}

/** `paid`: the sender has found the order paid right after it had sent it, and stored that. */
export type Placed = { kind: 'placed'; orderId: string; looksAtOnce: boolean; paid?: PaidOrder } | Unpaid | BackToGates;

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
  /** What this run knows over all attempts. */
  known: Submission;
  firstSentAt: number | undefined;
  /** When the last attempt ended, as far as it is known. */
  lastSentAt: number | undefined;
  /** All the doubt there is: should it turn out to have been nothing, what was known before holds again. */
  silence: Silence | undefined;
  /** Every order that this run has followed: while there is one, absence is not proven, whatever a store has forgotten. */
  placedIds: readonly string[];
  /** Attempts in a row that have moved nothing, to space them. */
  fruitless = 0;
  /** Why an earlier run left it to people: they decide before anything is sent. */
  parked: Reason | null;
  /** The order that is followed, once there is one. */
  orderId: string | undefined;
  /** Nobody may tell of it any more: it was found by a look, or its sender's own look has given no answer. */
  looksAtOnce = false;
  /** Other orders under the reference that ask nothing: an operator chose between them, or the bank shows no such order. */
  readonly dismissed = new Set<string>();
  /** Those that an operator did not choose. */
  readonly setAside = new Set<string>();
  /** In what the order that is followed may differ from what was sent: two people have said that it is the one. */
  despite: readonly string[] = [];
  /** What people say beyond what the bank shows. */
  readonly people = new TwoPeople();
  /** About the order's audit; driven at the bank until the order shows it. */
  decision: BankDecision | undefined;
  /** What had the order rejected at the bank, which may have been in a run whose decision this one does not know. */
  rejectedAs: RejectedAs | undefined;
  readonly reference: string;
  private ended: 'paid' | 'unpaid' | 'absent' | undefined;
  private readonly others: () => SettledLegs;

  /**
   * `before`: the same leg, as this run knew it until its claim was lost, or the run that handed it over. `others`: what the other
   * legs have settled.
   */
  constructor(
    context: { view: PayoutView; terms: Terms; parked: Reason | null; others: () => SettledLegs },
    start: LegStart,
    plan: LegPlan,
    before?: LegMemory,
  ) {
    this.view = context.view;
    this.terms = context.terms;
    this.parked = context.parked;
    this.others = context.others;
    this.plan = plan;
    const { reference, submission = NEVER_SENT, isPaid, firstSentAt, lastSentAt = null, isForgotten } = start;
    this.reference = reference;
    this.firstSentAt = firstSentAt ?? before?.firstSentAt;
    // What was sent by others may be later than what this run knows of: up to now.
    const known = isForgotten ? undefined : before?.lastSentAt;
    this.lastSentAt = lastSentAt === null ? known : Math.max(lastSentAt, known ?? 0);
    this.placedIds = before?.placedIds ?? [];
    this.known = before === undefined ? submission : remembered(before.known, submission, this.placedIds.length > 0);
    this.silence = isForgotten || submission.tainted ? undefined : before?.silence;
    this.ended = isPaid ? 'paid' : undefined;
  }

  /** Something was sent whose outcome this run does not know: nothing else is done before it does. */
  get isInDoubt(): boolean {
    return this.known.tainted && this.ended === undefined;
  }

  /** Its order is known to have been paid. */
  get isBooked(): boolean {
    return this.ended === 'paid';
  }

  /** An attempt is known that may have left, so that a send would repeat it. */
  get hasLeft(): boolean {
    return lastLeftOf(this.known) > 0;
  }

  /** Nothing that people have said is known to this run alone: which order they have chosen, or the first of two. */
  get mayForget(): boolean {
    return this.dismissed.size === 0 && this.despite.length === 0 && this.people.isSilent;
  }

  /** What this run has settled: its end, or that what was sent came to nothing. */
  get settled(): SettledLegs {
    const { kind } = this.plan;
    if (this.known.attempts === 0 || this.isInDoubt) return this.others();
    return { ...this.others(), [kind]: { upTo: this.known.attempts, as: this.ended ?? 'absent' } };
  }

  /** The same, should the order that is followed be confirmed to have taken no money. */
  get settledIfUnpaid(): SettledLegs {
    return { ...this.others(), [this.plan.kind]: { upTo: this.known.attempts, as: 'unpaid' } };
  }

  /** Notes an end. */
  endedBy<Result extends LegResult>(result: Result): Result {
    if (result.kind === 'paid') this.ended = 'paid';
    if (result.kind === 'unpaid') this.ended = result.read === undefined ? 'absent' : 'unpaid';
    return result;
  }
}
