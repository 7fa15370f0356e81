import { sleep, workflowInfo } from '@temporalio/workflow';
import type { Prepared, SettledLegs } from '../../activities/payout.ts';
import type { AwaitedApproval, Decision, Verdict } from '../../domain/authority.ts';
import type { Claim } from '../../domain/claim.ts';
import type { Assessment } from '../../domain/gates.ts';
import { type PayoutInput, payoutTitle } from '../../domain/instruction.ts';
import type { PayoutKind } from '../../domain/names.ts';
import { type Flag, flagsText } from '../../domain/payee.ts';
import {
  type EndState,
  isEnd,
  needsAttention,
  type PayoutState,
  type Reason,
  type StoredState,
  type UnpaidState,
  visibleState,
} from '../../domain/payout-state.ts';
import { ExecutionView } from '../execution/view.ts';
import type { PayoutStateView } from '../messages.ts';
import { closePayout, recordState, weighDecisions } from '../proxies.ts';
import { lastingAttributes, payoutState, type SearchAttributes } from '../search-attributes.ts';
import { PayoutInbox } from './inbox.ts';
import { Question, type UnsignedStatement } from './question.ts';

/** What a payout shows of itself, in the UI and in the store, and what it is told. */
export class PayoutView extends ExecutionView<PayoutState> {
  readonly what = 'payout';
  readonly inbox = new PayoutInbox();
  readonly question: Question;
  readonly workflowId = workflowInfo().workflowId;
  orderId: string | null = null;
  bankStatus: string | null = null;
  fee: string | null = null;
  feeCurrency: string | null = null;
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
    this.inbox.cancelStage = 'open';
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

  /** Stores an unpaid end; `settled` is what this run knows of what it sent. */
  async close(state: UnpaidState, reason: Reason, settled: SettledLegs): Promise<void> {
    const by = this.endedBy(reason);
    await closePayout({ claim: this.claim, state, reason, settled, by }, `${state}: ${reason.code}`);
    this.show(state, reason);
  }

  /** Who decided the end, if a person did; from history alone, so that a replay gives the same. */
  private endedBy({ code }: Reason): string | undefined {
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
  async hear(): Promise<void> {
    await sleep(1, { summary: 'takes in what arrived meanwhile' });
  }

  /** Reads what people have signed about the open question. */
  async weigh({ kind, digest, needed }: Pick<AwaitedApproval, 'kind' | 'digest' | 'needed'>): Promise<void> {
    this.question.isHinted = false;
    const said = this.question.unsignedStatements.splice(0);
    const input = { claim: this.claim, question: kind, digest, needed, ...(said.length > 0 && { said }) };
    this.question.readers += 1;
    try {
      this.weighed(await weighDecisions(input, 'reads what people have signed'));
    } finally {
      this.question.readers -= 1;
    }
  }

  private weighed(verdict: Verdict): void {
    const { awaited } = this.question;
    if (awaited === undefined || verdict.verdict === 'refused') return;
    const by =
      verdict.verdict === 'rejected' ? [verdict.by] : verdict.awaited.approvedBy.slice(awaited.approvedBy.length);
    this.question.take(verdict, awaited, 'what is stored');
    if (by.length > 0) this.note(`${verdict.verdict}: ${by.join(', ')}, by signature`);
    this.showDetails();
  }

  view(): PayoutStateView {
    const { state, reason, orderId, bankStatus, fee, feeCurrency, evidence } = this;
    return {
      state,
      reason,
      reference: this.held?.reference ?? '',
      orderId,
      bankStatus,
      fee,
      feeCurrency,
      awaited: this.awaitedView(),
      evidence,
    };
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
    return [
      [payoutTitle(this.input), this.state],
      ['kind', this.kind],
      ['why', this.reason?.message ?? ''],
      ['order', this.orderId ?? ''],
      ['bank status', this.bankStatus ?? ''],
      ['fee', this.fee === null ? '' : `${this.fee} ${this.feeCurrency ?? ''}`],
      ['awaits', awaited === undefined ? '' : awaitedText(awaited)],
      ['look at', awaited === undefined ? '' : flagsText(this.flags)],
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
