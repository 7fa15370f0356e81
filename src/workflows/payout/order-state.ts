import type { OrderStart, ResolvedOrders } from '../../activities/payout.ts';
import type { OrderRead } from '../../activities/read.ts';
import type { Obstacle } from '../../domain/gates.ts';
import type { OrderKind } from '../../domain/names.ts';
import { besideExchange, type PaidOrder, type RejectedAs, unpaidEnd } from '../../domain/order-judgement.ts';
import type { PayoutState, Reason, UnpaidState } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import { mergeWithStored, NEVER_SENT, type Submission } from '../../domain/submission.ts';
import type { SwitchScope } from '../../domain/switch-scope.ts';
import { TwoPeople } from '../execution.ts';
import type { CancelStage, PayoutView } from './view.ts';

/** What people decided about the bank's audit of an order. */
export interface BankDecision {
  decision: 'approve' | 'reject';
  by: string;
  remark: string;
  /** The rejection carries out a cancel. */
  isCancel?: true;
}

/** An attempt whose sender gave no answer while nothing else was in doubt, and what was known before it. */
interface NoAnswer {
  attempt: number;
  before: Submission;
}

/** What a run remembers of an order even if the store has forgotten it; handed to the run that continues it. */
export interface OrderMemory {
  /** Over all attempts. */
  known: Submission;
  firstSentAt?: number;
  /** When the last attempt ended, if known. */
  lastSentAt?: number;
  /** The only doubt there is: if the attempt turns out to have sent nothing, what was known before it holds again. */
  noAnswer?: NoAnswer;
  /** Every order that was followed: while there is one, absence is not proven, even if the store has forgotten it. */
  placedIds: readonly string[];
}

/** The id of the order is known, and it is followed. */
export interface Placed {
  name: 'placed';
  orderId: string;
  /** The status as last read; empty before the first read. */
  status: string;
  /** Workflow time since which it has that status. */
  statusSince: number;
  /** It is read at once, because perhaps nothing will report it any more: a search found it. */
  readsAtOnce: boolean;
  /** Fields in which it may differ from what was sent: two people have said that it is the right one. */
  despite: readonly string[];
  /** Orders under the reference that people did not choose. */
  setAside: Set<string>;
  /** Those, and orders that are not shown, not ours or took no money: they need no decision. */
  dismissed: Set<string>;
  /** By order id: how often a reported order was not found. */
  notThere: Map<string, number>;
  /** Another order under the reference that may take money, as of the last check. */
  second?: string;
  /** The id that the order had before the bank gave it this one, by all that the bank shows. */
  insteadOf?: string;
  /** A reported order could not be read in that check: it may exist and take money. */
  isSecondUnread: boolean;
  /**
   * Number of quick reads in a row; 0: waits for news. Reads are quick while a reported status is not shown yet, or a cancel waits
   * for the audit.
   */
  quickReads: number;
  /** Visits to an operator, to space the reads between them. */
  parks: number;
  /** Reads in a row that showed a conflict, before people are asked. */
  conflicts: number;
  /** The decision about its audit; passed to the bank until the order shows it. */
  decision?: BankDecision;
  /** The bank has accepted the decision; repeated only if the order does not show it after a while. */
  isDriven: boolean;
  /** Why people are asked again, if they are. */
  askedAgain?: Reason;
  /** Rounds of passing on a decision, to space repetitions. */
  audits: number;
  /** A cancel has no effect any more, or one was answered so. */
  isPastCancel: boolean;
}

type Phase =
  /** Nothing was sent whose outcome is unknown. */
  | { name: 'unsent' }
  /** An attempt may have made an order: nothing else is done before that is known. */
  | { name: 'in-doubt' }
  | Placed
  /** `absent`: no order was made. */
  | { name: 'ended'; as: 'paid' | 'unpaid' | 'absent'; orderId?: string; status?: string };

/** An unpaid end of the row that is not stored yet. */
export interface Unpaid {
  kind: 'unpaid';
  state: UnpaidState;
  reason: Reason;
}

/** Nothing was sent, or nothing that was sent was executed; `because`: what the gates must deal with. */
export interface BackToGates {
  kind: 'gates';
  because?: { obstacle: Obstacle; repeatedly?: string } | { switchedOff: SwitchScope } | 'changed';
}

export type OrderEnd =
  | { kind: 'paid'; read: PaidOrder & Pick<OrderRead, 'assessment'> }
  /** `isStored`: the read that confirmed the end has stored it. */
  | (Unpaid & { isStored: boolean; read?: OrderRead });

/** `submitting`, `following`: states shown during an attempt, and while the order is followed. */
interface Shown {
  submitting: Extract<PayoutState, 'submitting' | 'converting'>;
  following: Extract<PayoutState, 'processing' | 'converting'>;
}

const ROW_ENDING: Shown = { submitting: 'submitting', following: 'processing' };
const EXCHANGE_BEFORE: Shown = { submitting: 'converting', following: 'converting' };

/** One wrong answer among good ones asks nobody: such a conflict has to stay over this many more reads, seconds apart. */
export const READS_TO_CONFIRM = 2;

/** The reason of an order that has kept its status for longer than the age limit. */
export const STUCK: ReasonCode = 'status-stuck';

/** What distinguishes the orders of a row. */
interface OrderOfRow {
  kind: OrderKind;
  start: OrderStart;
  /** The row ends with this order; otherwise it is the exchange before the payment. */
  endsRow: boolean;
  /** The exchange before it, if any. */
  earlier?: OrderState;
  /** Why an earlier run left the order to people, who decide before anything is sent. */
  parked: Reason | null;
  /** An earlier run found an order of the row stuck: people are notified at once, not after the whole age limit again. */
  foundStuck: boolean;
}

/** What is known of one order of a row: what was sent, what became of it, what was decided about it. */
export class OrderState {
  readonly view: PayoutView;
  readonly terms: Terms;
  readonly kind: OrderKind;
  readonly reference: string;
  readonly endsRow: boolean;
  readonly earlier: OrderState | undefined;
  readonly shows: Shown;
  readonly memory: OrderMemory;
  /** What people have stated beyond what the bank shows. */
  readonly people = new TwoPeople();
  parked: Reason | null;
  /** Attempts in a row that moved nothing, to space them. */
  ineffectiveSends = 0;
  private readonly foundStuck: boolean;
  private now: Phase;

  /** `before`: the same order, as known to this run before it lost its claim, or to the run that handed over. */
  constructor(view: PayoutView, terms: Terms, order: OrderOfRow, before?: OrderMemory) {
    const { kind, start, endsRow, earlier, parked, foundStuck } = order;
    this.view = view;
    this.terms = terms;
    this.kind = kind;
    this.reference = start.reference;
    this.endsRow = endsRow;
    this.earlier = earlier;
    this.shows = endsRow ? ROW_ENDING : EXCHANGE_BEFORE;
    this.parked = parked;
    this.foundStuck = foundStuck;
    this.memory = remembered(start, before);
    this.now = start.isPaid ? { name: 'ended', as: 'paid' } : { name: 'unsent' };
    this.learns(this.memory.known);
  }

  get phase(): Phase {
    return this.now;
  }

  /** The order that is followed. */
  get placed(): Placed {
    if (this.now.name !== 'placed') throw new Error(`the order is ${this.now.name}`);
    return this.now;
  }

  get known(): Submission {
    return this.memory.known;
  }

  /** What is known of the attempts; decides the phase until the order is placed. */
  learns(known: Submission): void {
    this.memory.known = known;
    const { name } = this.now;
    if (name === 'unsent' || name === 'in-doubt') this.now = { name: known.tainted ? 'in-doubt' : 'unsent' };
  }

  /**
   * The order with this id is followed from now on. `found`: by a search; `others`: listed as well, and not chosen;
   * `insteadOf`: the id that it had before.
   */
  follows(
    orderId: string,
    found?: { despite: readonly string[]; others: readonly string[]; insteadOf?: string },
  ): { kind: 'placed' } {
    this.now = {
      ...{ name: 'placed', orderId, status: '', statusSince: this.foundStuck ? 0 : Date.now() },
      ...{ readsAtOnce: found !== undefined, despite: found?.despite ?? [] },
      ...{ setAside: new Set(found?.others), dismissed: new Set(found?.others), notThere: new Map() },
      ...{ isSecondUnread: false, quickReads: 0, parks: 0, conflicts: 0 },
      ...{ isDriven: false, audits: 0, isPastCancel: false },
      ...(found?.insteadOf !== undefined && { insteadOf: found.insteadOf }),
    };
    return { kind: 'placed' };
  }

  /** Another order is followed: the decision and the bank's answer were about the previous one. */
  followsInstead(orderId: string, insteadOf?: string): void {
    const { placed } = this;
    if (placed.orderId !== orderId)
      this.dropDecision(this.view.inbox.cancel !== undefined && this.cancelStage === 'too-late');
    Object.assign(placed, { orderId, insteadOf });
    placed.dismissed.delete(orderId);
    this.memory.placedIds = [...new Set([...this.memory.placedIds, orderId])];
  }

  /** The decision counts no more. `isTooLate`: a cancel has no effect any more, or was answered so. */
  dropDecision(isTooLate: boolean, askedAgain?: Reason): void {
    Object.assign(this.placed, { decision: undefined, isDriven: false, isPastCancel: isTooLate, askedAgain });
  }

  /** Whether two people have said that an order counts though it differs from what was sent; the first of them is noted. */
  countsDespite({ orderId, differences }: { orderId: string; differences: readonly string[] }, by: string): boolean {
    const people = this.people.agree(`adopt-order ${orderId} ${differences.join()}`, by);
    if (people === undefined) return false;
    if (this.now.name === 'placed') this.now.despite = [...this.now.despite, ...differences];
    this.view.note(`order ${orderId} counts, with another ${differences.join(', ')}: said by ${people}`);
    return true;
  }

  ends<End extends OrderEnd>(end: End): End {
    const { bankStatus: status } = this;
    // Under the earlier id of a renumbered order the bank shows it with the present one, which is what is stored.
    const orderId = end.kind === 'paid' ? end.read.orderId : this.orderId;
    const unpaid = end.kind === 'unpaid' && end.read === undefined ? 'absent' : 'unpaid';
    this.now = { name: 'ended', as: end.kind === 'paid' ? 'paid' : unpaid, orderId, status };
    return end;
  }

  /** Id of the order that is, or was, followed. */
  get orderId(): string | undefined {
    return 'orderId' in this.now ? this.now.orderId : this.memory.placedIds.at(-1);
  }

  /** Its status as the bank words it. */
  get bankStatus(): string | undefined {
    return ('status' in this.now && this.now.status) || undefined;
  }

  /** Something was sent whose outcome this run does not know; nothing else may be done before it does. */
  get isInDoubt(): boolean {
    return this.now.name !== 'ended' && this.known.tainted;
  }

  /** It is to be resolved before anything else is done for the row. */
  get isUnresolved(): boolean {
    return this.isInDoubt || (this.now.name !== 'ended' && this.parked !== null);
  }

  /** The order is known to be paid. */
  get isBooked(): boolean {
    return this.now.name === 'ended' && this.now.as === 'paid';
  }

  /** Some attempt may have left, so that a send would repeat it. */
  get hasLeft(): boolean {
    return this.known.lastLeft > 0;
  }

  /** Whether no statement of people is known only to this run: which order they chose, or the first of two statements. */
  get holdsNoStatement(): boolean {
    const isChosen = this.now.name === 'placed' && this.now.setAside.size + this.now.despite.length > 0;
    return !isChosen && this.people.isUnanswered;
  }

  /** Whether a cancel can still affect the order. One that is not placed yet is stopped, or not, by the main line. */
  get cancelStage(): CancelStage {
    if (this.now.name !== 'placed') return 'open';
    const { decision, isPastCancel } = this.now;
    if (isPastCancel || (decision?.decision === 'approve' && this.endsRow)) return 'too-late';
    return decision?.isCancel ? 'driven' : 'open';
  }

  /** How this run had the order rejected at the bank; only the store knows of an earlier run. */
  get rejectedAs(): RejectedAs | undefined {
    if (this.cancelStage === 'driven') return 'cancel';
    return this.placed.decision?.decision === 'reject' ? 'reject' : undefined;
  }

  /** What this run has resolved, of this order and the one before it. */
  get resolved(): ResolvedOrders {
    const isOpen = this.known.attempts === 0 || this.isInDoubt;
    if (isOpen) return { ...this.earlier?.resolved };
    return this.resolvedAs(this.now.name === 'ended' ? this.now.as : 'absent');
  }

  /** The same, if the followed order is confirmed to have taken no money. */
  get resolvedIfUnpaid(): ResolvedOrders {
    return this.resolvedAs('unpaid');
  }

  private resolvedAs(as: 'paid' | 'unpaid' | 'absent'): ResolvedOrders {
    return { ...this.earlier?.resolved, [this.kind]: { upTo: this.known.attempts, as } };
  }

  /** What it means for the row that the followed order has ended, confirmed, without moving money. */
  unpaidBy(order: Parameters<typeof unpaidEnd>[0]): Unpaid {
    const { state, reason } = unpaidEnd(order, !this.endsRow);
    return { kind: 'unpaid', state, reason: besideExchange(reason, this.earlier?.isBooked === true) };
  }
}

function remembered(start: OrderStart, before: OrderMemory | undefined): OrderMemory {
  const { submission = NEVER_SENT, firstSentAt, lastSentAt = null, isForgotten } = start;
  const placedIds = before?.placedIds ?? [];
  // If the store has forgotten attempts, others may have sent later than this run knows; undefined then becomes the present time.
  const known = isForgotten ? undefined : before?.lastSentAt;
  return {
    known: before === undefined ? submission : mergeWithStored(before.known, submission, placedIds.length > 0),
    firstSentAt: firstSentAt ?? before?.firstSentAt,
    lastSentAt: lastSentAt === null ? known : Math.max(lastSentAt, known ?? 0),
    noAnswer: isForgotten || submission.tainted ? undefined : before?.noAnswer,
    placedIds,
  };
}
