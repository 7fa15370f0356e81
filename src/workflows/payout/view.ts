import { condition, log, sleep, workflowInfo } from '@temporalio/workflow';
import type { Prepared, ResolvedOrders } from '../../activities/payout.ts';
import { type AwaitedApproval, consider, type Decision, type Verdict } from '../../domain/authority.ts';
import type { Claim } from '../../domain/claim.ts';
import type { Assessment } from '../../domain/gates.ts';
import { type PayoutInput, payoutTitle } from '../../domain/instruction.ts';
import type { PayoutKind } from '../../domain/names.ts';
import type { PaidOrder } from '../../domain/order-judgement.ts';
import type { OrderNotice } from '../../domain/order-status.ts';
import { type Flag, flagsText } from '../../domain/payee.ts';
import {
  type EndState,
  isEnd,
  needsAttention,
  type PayoutState,
  type Reason,
  type ResolveRequest,
  type StoredState,
  type UnpaidState,
  visibleState,
} from '../../domain/payout-state.ts';
import { after, ExecutionView, Inbox } from '../execution.ts';
import type { PayoutStateView } from '../messages.ts';
import { closePayout, endOfOrder, recordState, verifyDecisions } from '../proxies.ts';
import { lastingAttributes, payoutState, type SearchAttributes } from '../search-attributes.ts';

/** An unverified statement made by a signal. */
export type UnsignedStatement = Pick<Decision, 'decision' | 'by'>;

/** What a payout asks people, one question at a time, and their answers. */
export class Question {
  awaited: AwaitedApproval | undefined;
  verdict: Extract<Verdict, { verdict: 'approved' | 'rejected' }> | undefined;
  /** Somebody says that the store has something new about the question. */
  isHinted = false;
  /** Who rejected the payout: as final as a cancel, also for a run that takes the claim again. */
  rejectedBy: string | undefined;
  /** The bank has taken the last rejection of its order. */
  isPassedOn = false;
  /** Number of readings of the stored decisions that are under way: by updates, which then answer, and by the main line. */
  readers = 0;
  /** Statements made by signals since the decisions were last read; refused unless a signed decision says the same. */
  readonly unsignedStatements: UnsignedStatement[] = [];
  private about: string | undefined;
  /** Digest of the last question asked, open or not. */
  private lastAsked: string | undefined;
  /** The question from before the claim was taken, not asked again yet: a person who has seen it may still reject. */
  private unanswered: AwaitedApproval | undefined;

  /** `unanswered`: the question that the previous run left open. */
  constructor(unanswered?: AwaitedApproval) {
    this.unanswered = unanswered;
    this.lastAsked = unanswered?.digest;
  }

  /** The question that somebody deciding now may have in mind. */
  get open(): AwaitedApproval | undefined {
    return this.awaited ?? this.unanswered;
  }

  /**
   * Opens a question; votes on one do not count for another. Asking the same question again leaves it as it is, so that a
   * decision taken while the bank was read in between is not lost.
   */
  ask(awaited: AwaitedApproval): void {
    const about = [awaited.kind, awaited.digest].join(' ');
    if (this.about === about && (this.awaited ?? this.verdict) !== undefined) return;
    this.about = about;
    this.unanswered = undefined;
    this.lastAsked = awaited.digest;
    this.awaited = awaited;
    this.verdict = undefined;
    this.isPassedOn = false;
  }

  /** Whether some statement has not been read yet. */
  get isBeingRead(): boolean {
    return this.isHinted || this.readers > 0;
  }

  /** Whether the last question may just have been answered although `digest` is asked next (undefined: nothing is). */
  isLeftFor(digest: string | undefined): boolean {
    return digest === undefined ? this.open !== undefined : ![undefined, digest].includes(this.lastAsked);
  }

  /**
   * The claim is taken again: the question is asked again if it still arises. Not kept if it is about the bank's audit: that
   * order is rejected at the bank.
   */
  keepForNextRun(): void {
    if (this.awaited !== undefined && this.awaited.kind !== 'bank') this.unanswered = this.awaited;
    this.close();
  }

  /** The gates are open: an answer to an earlier question can no longer reject what is sent from now on. */
  discard(): void {
    this.unanswered = undefined;
    this.close();
  }

  close(): void {
    this.about = undefined;
    this.awaited = undefined;
    this.verdict = undefined;
  }

  decide(decision: Decision): Verdict {
    const subject = this.subjectOf(decision);
    return this.take(consider(subject, decision, Date.now()), subject, decision.decision);
  }

  /** The question that a decision applies to. Nobody can approve what is about to be read again. */
  subjectOf({ decision }: Decision): AwaitedApproval | undefined {
    return decision === 'reject' ? this.open : this.awaited;
  }

  /** Applies the verdict of one decision, or of all stored ones, on a question. */
  take(verdict: Verdict, subject: AwaitedApproval | undefined, decision: string): Verdict {
    switch (verdict.verdict) {
      case 'counted':
        this.awaited = { ...verdict.awaited, expiresAt: this.awaited?.expiresAt };
        break;
      case 'approved':
      case 'rejected':
        this.verdict = verdict;
        this.awaited = undefined;
        // Not for the bank's audit: that order is rejected at the bank.
        if (verdict.verdict === 'rejected' && subject?.kind !== 'bank') this.rejectedBy = verdict.by;
        break;
      case 'refused':
        log.warn('decision refused', { decision, why: verdict.why });
    }
    return verdict;
  }
}

/** Whether a cancel can still affect the current order: `open`, passed to the bank (`driven`), or `too-late`. */
export type CancelStage = 'open' | 'driven' | 'too-late';

/** What is shown of the orders of a row. */
interface ShownOrder {
  readonly orderId: string | undefined;
  readonly bankStatus: string | undefined;
  readonly cancelStage: CancelStage;
  readonly phase: { readonly name: string };
}

/**
 * Result of a payout, a transfer or an exchange. Every business outcome is a return value; a workflow fails only for a bug or a
 * misuse.
 */
export type PayoutResult = Omit<Extract<Prepared, { kind: 'ended' }>, 'kind'>;

/** What a payout shows of itself, in the UI and in the store, and what it receives. */
export class PayoutView extends ExecutionView<PayoutState> {
  readonly what = 'payout';
  readonly inbox = new PayoutInbox();
  readonly question: Question;
  readonly workflowId = workflowInfo().workflowId;
  /** What was booked, or stored before this run. */
  private booked: Partial<Pick<PayoutResult, 'orderId' | 'fee' | 'feeCurrency'>> = {};
  /** The order that ends the row, and the exchange before it. */
  private orders: { main?: ShownOrder; exchange?: ShownOrder } = {};
  maker: string | undefined;
  /** Decisions count only if signed. */
  isSigned = false;
  /** The state that this run wrote to the row and is still in. */
  recorded: StoredState | undefined;
  /** Digest of what is paid; approvals are bound to it. */
  digest = '';
  /** Number of distinct people who must approve an order that the bank audits. */
  approvalsAtBank = 1;
  /** What people should check before they decide. */
  flags: readonly Flag[] = [];
  readonly input: PayoutInput;
  readonly kind: PayoutKind;
  private held: Claim | undefined;

  /** `unanswered`: the question that the previous run left open. */
  constructor(input: PayoutInput, kind: PayoutKind, unanswered?: AwaitedApproval) {
    super('received');
    this.question = new Question(unanswered);
    this.shown = 'processing';
    this.input = input;
    this.kind = kind;
  }

  /** Every write and every send of this run carries it. */
  get claim(): Claim {
    if (this.held === undefined) throw new Error('the payout is not claimed yet');
    return this.held;
  }

  /** The account that the row names; also read to find out whether the bank answers. */
  get accountId(): string {
    return `${this.input.account_id ?? ''}`;
  }

  get isClaimed(): boolean {
    return this.held !== undefined;
  }

  /** A run that takes the claim, for the first time or again, asks and shows everything from the start. */
  claimed({ claim, maker, terms, assessment }: Extract<Prepared, { kind: 'ready' }>): void {
    this.held = claim;
    this.maker = maker ?? undefined;
    this.isSigned = terms.signed === true;
    // One started for a later day shows `scheduled` until it shows another state.
    this.shown = workflowInfo().typedSearchAttributes.get(payoutState);
    this.question.keepForNextRun();
    this.assessed(assessment);
  }

  /** Takes the next term of the same claim. No other run held it meanwhile, so what is asked and shown stays. */
  renewed(claim: Claim): void {
    this.held = claim;
  }

  get hasEnded(): boolean {
    return isEnd(this.state);
  }

  showsOrders(orders: { main: ShownOrder; exchange?: ShownOrder }): void {
    this.orders = orders;
  }

  private get current(): ShownOrder | undefined {
    const { exchange, main } = this.orders;
    return exchange?.phase.name === 'placed' ? exchange : main;
  }

  get orderId(): string | null {
    return this.booked.orderId ?? this.orders.main?.orderId ?? null;
  }

  /** Of the order that is followed now; an exchange and its payment have one each. */
  get cancelStage(): CancelStage {
    return this.current?.cancelStage ?? 'open';
  }

  /** Whether a cancel is requested and can still have an effect. */
  get wantsCancel(): boolean {
    return this.inbox.cancel !== undefined && this.cancelStage !== 'too-late';
  }

  /** Shows the end of the order as the end of the row: `paid` for one that took the money. */
  paid({ fee, feeCurrency }: PaidOrder, reason: Reason | null): PayoutResult {
    this.booked = { fee: fee ?? null, feeCurrency: feeCurrency ?? null };
    return this.ended('completed', reason);
  }

  /** Shows an end that the store had before this run. */
  endedBefore({
    reference,
    state,
    reason,
    orderId,
    fee,
    feeCurrency,
  }: Extract<Prepared, { kind: 'ended' }>): PayoutResult {
    this.booked = { orderId, fee, feeCurrency };
    return { ...this.ended(state, reason), reference };
  }

  /** Shows an end that is stored. */
  ended(state: EndState, reason: Reason | null): PayoutResult {
    this.show(state, reason);
    const { orderId, booked } = this;
    const { fee = null, feeCurrency = null } = booked;
    return { reference: this.held?.reference ?? '', state, reason, orderId, fee, feeCurrency };
  }

  /** Moves to a state that lists and reports must show. */
  async enter(
    state: Exclude<PayoutState, EndState>,
    reason: Reason | null = null,
    fundsNeeded?: string,
  ): Promise<void> {
    const unchanged = state === this.state && reason?.message === this.reason?.message;
    this.show(state, reason);
    this.recorded = { state, reason };
    if (unchanged) return;
    const record = { claim: this.claim, state, reason, orderId: this.orderId ?? undefined, fundsNeeded };
    await recordState(record, reason === null ? state : `${state}: ${reason.code}`);
  }

  /** Stores an unpaid end; `resolved` is what this run knows of what it sent. */
  async close(state: UnpaidState, reason: Reason, resolved: ResolvedOrders): Promise<PayoutResult> {
    const by = this.decidedBy(reason);
    await closePayout({ claim: this.claim, state, reason, resolved, by }, `${state}: ${reason.code}`);
    return this.ended(state, reason);
  }

  /** Who decided the end, if a person did; from history alone, so that a replay gives the same. */
  private decidedBy({ code }: Reason): string | undefined {
    if (code === 'approval-rejected') return this.question.rejectedBy;
    return code === 'cancelled-by-request' ? this.inbox.cancel?.by : undefined;
  }

  override show(state: PayoutState, reason: Reason | null = null): void {
    if (state !== this.state) this.recorded = undefined;
    super.show(state, reason);
  }

  /** People are asked to approve what was read last. */
  assessed({ digest, approvalsAtBank = 1, flags = [] }: Assessment): void {
    this.digest = digest;
    this.flags = flags;
    this.approvalsAtBank = Math.max(1, approvalsAtBank);
  }

  ask(awaited: AwaitedApproval): void {
    this.question.ask(awaited);
    this.showDetails();
  }

  decide(decision: Decision): Verdict {
    const verdict = this.question.decide(decision);
    if (verdict.verdict !== 'refused') this.note(`${decision.decision} by ${decision.by}`);
    this.showDetails();
    return verdict;
  }

  /** Somebody says that a decision exists: by itself without effect if decisions are signed. */
  hint(said?: UnsignedStatement): void {
    this.question.isHinted = true;
    if (said !== undefined) this.question.unsignedStatements.push(said);
  }

  /**
   * Lets in what arrived while a local activity ran: it comes only with the next workflow task. Otherwise a question could be
   * closed, and the payout sent, past an earlier rejection, and an approval of one question could count for the next.
   */
  async receive(): Promise<void> {
    await sleep(1, { summary: 'takes in what arrived meanwhile' });
  }

  /** Reads what people have signed about the open question. */
  async verify({ kind, digest, needed }: Pick<AwaitedApproval, 'kind' | 'digest' | 'needed'>): Promise<void> {
    this.question.isHinted = false;
    const said = this.question.unsignedStatements.splice(0);
    const input = { claim: this.claim, question: kind, digest, needed, ...(said.length > 0 && { said }) };
    this.question.readers += 1;
    try {
      this.verified(await verifyDecisions(input, 'reads what people have signed'));
    } finally {
      this.question.readers -= 1;
    }
  }

  private verified(verdict: Verdict): void {
    const { awaited } = this.question;
    if (awaited === undefined || verdict.verdict === 'refused') return;
    const by =
      verdict.verdict === 'rejected' ? [verdict.by] : verdict.awaited.approvedBy.slice(awaited.approvedBy.length);
    this.question.take(verdict, awaited, 'what is stored');
    if (by.length > 0) this.note(`${verdict.verdict}: ${by.join(', ')}, by signature`);
    this.showDetails();
  }

  view(): PayoutStateView {
    const { state, reason, orderId, evidence } = this;
    const { fee = null, feeCurrency = null } = this.booked;
    const bankStatus = this.current?.bankStatus ?? null;
    const reference = this.held?.reference ?? '';
    return { state, reason, reference, orderId, bankStatus, fee, feeCurrency, awaited: this.awaitedView(), evidence };
  }

  private awaitedView(): PayoutStateView['awaited'] {
    if (this.question.awaited === undefined) return null;
    const { kind, digest, needed, approvedBy, expiresAt } = this.question.awaited;
    const at = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
    return { kind, digest, needed, approvedBy, expiresAt: at, flags: this.flags };
  }

  protected listed(): { visible: string; needsAttention: boolean } {
    return { visible: visibleState(this.state), needsAttention: needsAttention(this.state, this.reason) };
  }

  protected otherAttributes(): SearchAttributes {
    // A payout started without attributes (from the `temporal` CLI, say) sets them with the first state it shows.
    const missing = this.shown === undefined ? lastingAttributes(this.claim.reference, this.input) : {};
    return { PayoutOrderId: this.orderId, ...missing };
  }

  protected details(): [string, string][] {
    const { awaited } = this.question;
    const { fee = null, feeCurrency = null } = this.booked;
    return [
      [payoutTitle(this.input), this.state],
      ['kind', this.kind],
      ['why', this.reason?.message ?? ''],
      ['order', this.orderId ?? ''],
      ['bank status', this.current?.bankStatus ?? ''],
      ['fee', fee === null ? '' : `${fee} ${feeCurrency ?? ''}`],
      ['awaits', awaited === undefined ? '' : awaitedText(awaited)],
      ['check', awaited === undefined ? '' : flagsText(this.flags)],
    ];
  }
}

function awaitedText({ kind, needed, approvedBy, digest }: AwaitedApproval): string {
  const what = AWAITED_TEXTS[kind];
  return `${what}: ${approvedBy.length} of ${needed}, digest ${digest}; signal approve or reject, or update decide`;
}

const AWAITED_TEXTS: Readonly<Record<AwaitedApproval['kind'], string>> = {
  payout: 'approval',
  bank: 'approval of the bank order',
  hold: 'decision on the hold',
  screening: 'decision on what the screening says',
};

/** What a payout has received: news of its orders, operators' requests, a cancel. */
class PayoutInbox extends Inbox<ResolveRequest> {
  private readonly notices: OrderNotice[] = [];
  private fresh = false;
  private readRequested = false;
  private alarm: { isOver: () => boolean; reads: number } | undefined;
  /** By order id: what the watch reported of its end, or that it is asked to report it. */
  private readonly ends = new Map<string, PaidOrder | 'asked'>();
  /** How often it was asked. */
  private waits = 0;

  /** Makes the order be read without waiting for news. */
  readAgain(): void {
    this.fresh = true;
  }

  /** Takes any signal payload: one that is no notice only means "look". */
  receive(notice: unknown): void {
    this.readAgain();
    if (isNotice(notice)) this.notices.push(notice);
    else this.readRequested = true;
  }

  /** Whether anything was reported since the last `take`. */
  get hasNews(): boolean {
    return this.fresh;
  }

  /** Whether somebody asked to read any order there is, since the last `take`. */
  get isReadRequested(): boolean {
    return this.readRequested;
  }

  /** Marks all news as handled, because the next read covers it; returns whether there was any. */
  take(): boolean {
    const fresh = this.takeNews();
    this.readRequested = false;
    return fresh;
  }

  /** The same without requests to read, which are still to be met. */
  takeNews(): boolean {
    const { fresh } = this;
    this.fresh = false;
    return fresh;
  }

  /** The notices for a reference, oldest first. */
  noticesFor(reference: string): readonly OrderNotice[] {
    return this.notices.filter((notice) => notice.reference === reference);
  }

  /**
   * Waits for news until the safety timer fires. One timer serves the whole life. Each time it fires the next interval is longer.
   */
  async untilNews(patienceMs: number, news: () => boolean): Promise<void> {
    this.alarm ??= alarmAfter(patienceMs, 0);
    const { isOver, reads } = this.alarm;
    await condition(() => news() || isOver());
    if (isOver()) this.alarm = alarmAfter(patienceMs, reads + 1);
  }

  /**
   * Asks the watch to report the end of an order, which is news then. If it reports none for the patience time, that is news too, and
   * it can be asked again, for a longer time. False: it has reported already.
   */
  awaitsEnd(orderId: string, patienceMs: number): boolean {
    const end = this.ends.get(orderId);
    if (end === undefined) {
      this.ends.set(orderId, 'asked');
      void this.endReturned(orderId, patienceMs);
    }
    return end === undefined || end === 'asked';
  }

  /** The paid order as the watch read it; the end is stored. */
  returnedEnd(orderId: string): PaidOrder | undefined {
    const end = this.ends.get(orderId);
    return end === 'asked' ? undefined : end;
  }

  private async endReturned(orderId: string, patienceMs: number): Promise<void> {
    const { awaitOrderEnd } = endOfOrder(orderId, longer(patienceMs, this.waits));
    this.waits += 1;
    try {
      this.ends.set(orderId, await awaitOrderEnd.executeWithOptions({ summary: IF_NOT_NOTIFIED }, []));
    } catch {
      this.ends.delete(orderId);
    }
    this.readAgain();
  }

  /** There was no notification for the patience time: the waiting run must read itself. */
  get isPatienceOver(): boolean {
    return this.alarm?.isOver() === true;
  }
}

const IF_NOT_NOTIFIED = 'reads the order itself if nothing is reported';

const longer = (patienceMs: number, times: number): number => patienceMs * 2 ** Math.min(times, 6);

const alarmAfter = (patienceMs: number, reads: number) => ({
  isOver: after(longer(patienceMs, reads), IF_NOT_NOTIFIED),
  reads,
});

function isNotice(value: unknown): value is OrderNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { reference, orderId, status } = value as Partial<OrderNotice>;
  return typeof reference === 'string' && typeof orderId === 'string' && typeof status === 'string';
}
