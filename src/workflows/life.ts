import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { condition, log, setCurrentDetails, sleep, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { OrderNotice } from '../activities/deps.ts';
import { type AwaitedApproval, consider, type Decision, type Verdict } from '../domain/approval.ts';
import { isEnd, needsAttention, type PayoutState, type Reason, visibleState } from '../domain/payout-state.ts';
import type { SwitchScope } from '../domain/switches.ts';
import type { PendingResolve } from './handlers.ts';
import type { Evidence, PayoutStateView } from './messages.ts';
import { read } from './proxies.ts';
import type { BankDecision } from './steps/await-bank-approval.ts';

const payoutState = defineSearchAttributeKey('PayoutState', SearchAttributeType.KEYWORD);
const payoutOrderId = defineSearchAttributeKey('PayoutOrderId', SearchAttributeType.KEYWORD);
const payoutReference = defineSearchAttributeKey('PayoutReference', SearchAttributeType.KEYWORD);
const payoutCurrency = defineSearchAttributeKey('PayoutCurrency', SearchAttributeType.KEYWORD);
const payoutBatchId = defineSearchAttributeKey('PayoutBatchId', SearchAttributeType.KEYWORD);
const payoutNeedsAttention = defineSearchAttributeKey('PayoutNeedsAttention', SearchAttributeType.BOOL);

/** What was decided about one bank order. */
export interface OrderTalk {
  /** About its audit; driven at the bank until the order shows it. */
  decision?: BankDecision;
  /** We asked the bank to reject because of a cancel request: a rejection then ends as `cancelled`. */
  cancelDriven: boolean;
  /** The bank has taken the decision; repeated only if the order does not show it after a while. */
  driven?: boolean;
  /** The bank shows another payee than the one paid: the approval given was for the other. */
  payeeChanged?: boolean;
  /** A switch that was off kept the approval given from being driven. */
  switchedOff?: SwitchScope;
  /** It is past the point where a cancel request can do anything. */
  tooLateToCancel: boolean;
}

/** What the query shows is kept short: the newest entries count. */
const EVIDENCE_MAX = 50;

/**
 * What one payout knows about itself while it lives: its state as shown in the UI and the store, what people and the
 * watch have told it, and what it has seen. Steps read and change it; only `payout.ts` decides the route.
 */
export class PayoutLife {
  state: PayoutState = 'received';
  reason: Reason | null = null;
  readonly workflowId = workflowInfo().workflowId;
  reference = '';
  orderId: string | null = null;
  bankStatus: string | null = null;
  fee: string | null = null;
  feeCurrency: string | null = null;
  maker: string | undefined;
  /** What it waits for on its account, decimal. */
  fundsNeeded: string | undefined;
  /** Digest of what is paid: what approvals are bound to. */
  digest = '';
  title: string;

  /** Set by the update `cancel` or by a Temporal cancellation; steps look at it where stopping is still possible. */
  cancelRequest: { by: string; reason: string } | undefined;
  /** What was said about the order that is followed now; an exchange and its payment have one each. */
  order: OrderTalk = { cancelDriven: false, tooLateToCancel: false };
  /** Other orders under our reference that ask nothing: an operator chose between them, or the bank shows no such order. */
  readonly dismissedOrders = new Set<string>();
  /** Those that an operator did not choose. */
  readonly setAside = new Set<string>();

  /** The payout currency was bought: an end without a payment leaves both legs as they are. */
  exchanged = false;

  awaited: AwaitedApproval | undefined;
  verdict: Extract<Verdict, { verdict: 'approved' | 'rejected' }> | undefined;

  private question: string | undefined;

  readonly notices: OrderNotice[] = [];
  /** Grows with every `orderChanged`. */
  heard = 0;
  readonly evidence: Evidence[] = [];
  /** Operators' requests waiting for the step that checks them. */
  readonly resolves: PendingResolve[] = [];
  /** References to take out of the open set when the payout ends. */
  readonly openReferences = new Set<string>();

  private shown: string | undefined = 'processing';
  private missingAttributes: SearchAttributePair[] = [];
  private alarm: { fired: boolean; looks: number } | undefined;

  constructor(title: string) {
    this.title = title;
  }

  /**
   * A payout started without attributes (from the `temporal` CLI, say) sets them with the first state it shows. One that
   * was started for a later day shows `scheduled` until it shows something else.
   */
  attributesAtStart(currency: string, batchId: string | undefined): void {
    this.shown = workflowInfo().typedSearchAttributes.get(payoutState);
    if (this.shown !== undefined) return;
    this.missingAttributes = [
      { key: payoutReference, value: this.reference },
      { key: payoutCurrency, value: currency },
      ...(batchId === undefined ? [] : [{ key: payoutBatchId, value: batchId }]),
    ];
  }

  note(what: string): void {
    this.evidence.push({ at: new Date().toISOString(), what });
    if (this.evidence.length > EVIDENCE_MAX) this.evidence.splice(1, 1);
  }

  /** Moves to a state that lists and reports shall show; `stored` says an activity has written it already. */
  async enter(
    state: PayoutState,
    reason: Reason | null = null,
    stored: 'stored' | 'to-store' = 'to-store',
  ): Promise<void> {
    const unchanged = state === this.state && reason?.message === this.reason?.message;
    this.show(state, reason);
    if (stored === 'stored' || unchanged) return;
    const record = {
      reference: this.reference,
      state,
      reason,
      orderId: this.orderId ?? undefined,
      fundsNeeded: state === 'awaiting-funds' ? this.fundsNeeded : undefined,
      closes: isEnd(state) ? [...this.openReferences] : [],
    };
    await read('recordState', record, reason === null ? state : `${state}: ${reason.code}`);
  }

  /** Shows a working state in the UI without a record of its own: the next activity writes the row. */
  show(state: PayoutState, reason: Reason | null = null): void {
    if (this.state === 'needs-operator' && state !== 'needs-operator') this.answerLate(state);
    if (state !== this.state) this.note(reason === null ? state : `${state}: ${reason.message}`);
    this.state = state;
    this.reason = reason;
    const visible = visibleState(state);
    if (visible !== this.shown) {
      this.shown = visible;
      upsertSearchAttributes([
        { key: payoutState, value: visible },
        { key: payoutNeedsAttention, value: needsAttention(state, reason) },
        ...(this.orderId === null ? [] : [{ key: payoutOrderId, value: this.orderId }]),
        ...this.missingAttributes.splice(0),
      ]);
    }
    setCurrentDetails(this.details());
  }

  /** What operators asked for in a state that is over finds no step that could check it. */
  private answerLate(state: PayoutState): void {
    for (const pending of this.resolves.splice(0)) {
      pending.answer ??= { accepted: false, message: `the payout is ${state} now` };
    }
  }

  decide(decision: Decision): Verdict {
    const verdict = consider(this.awaited, decision, Date.now());
    switch (verdict.verdict) {
      case 'approved':
      case 'counted':
        this.awaited = verdict.awaited;
        break;
      case 'rejected':
      case 'refused':
        break;
    }
    if (verdict.verdict === 'refused') {
      log.warn('decision refused', { decision: decision.decision, why: verdict.why });
    } else {
      this.note(`${decision.decision} by ${decision.by}`);
    }
    if (verdict.verdict === 'approved' || verdict.verdict === 'rejected') {
      this.verdict = verdict;
      this.awaited = undefined;
    }
    setCurrentDetails(this.details());
    return verdict;
  }

  /** A cancel was asked for and can still do something. */
  get wantsCancel(): boolean {
    return this.cancelRequest !== undefined && !this.order.tooLateToCancel;
  }

  /**
   * Opens a question; earlier votes serve no other one. The same question asked again goes on as it was, so that a
   * decision taken while the bank was looked at in between is not lost.
   */
  ask(awaited: AwaitedApproval): void {
    const question = [awaited.kind, awaited.digest, awaited.about ?? ''].join(' ');
    if (this.question === question && (this.awaited ?? this.verdict) !== undefined) return;
    this.question = question;
    this.awaited = awaited;
    this.verdict = undefined;
    setCurrentDetails(this.details());
  }

  closeQuestion(): void {
    this.question = undefined;
    this.awaited = undefined;
    this.verdict = undefined;
  }

  /** Whatever came as the payload of a signal: what is no notice only says "look". */
  hear(notice: unknown): void {
    this.heard += 1;
    if (isNotice(notice)) this.notices.push(notice);
  }

  /** Order id a notice named for a reference: where a lost answer's order can be found at once. */
  orderHeardOf(reference: string): string | undefined {
    return this.notices.findLast((notice) => notice.reference === reference)?.orderId;
  }

  /**
   * Waits for news until the safety timer fires. One timer serves the whole life and is left pending at the end:
   * cancelling it costs an event. After it has fired, looks are spaced ever wider.
   */
  async untilNews(patienceMs: number, news: () => boolean): Promise<void> {
    this.alarm ??= this.setAlarm(patienceMs, 0);
    const alarm = this.alarm;
    await condition(() => news() || alarm.fired);
    if (alarm.fired) this.alarm = this.setAlarm(patienceMs * 2 ** Math.min(alarm.looks + 1, 6), alarm.looks + 1);
  }

  /** Nothing was heard for the patience time: whoever waits looks itself. */
  get isPatienceOver(): boolean {
    return this.alarm?.fired === true;
  }

  private setAlarm(ms: number, looks: number): { fired: boolean; looks: number } {
    const alarm = { fired: false, looks };
    void sleep(ms, { summary: 'looks itself if nothing is heard' }).then(() => {
      alarm.fired = true;
    });
    return alarm;
  }

  view(): PayoutStateView {
    const { awaited } = this;
    return {
      state: this.state,
      reason: this.reason,
      reference: this.reference,
      orderId: this.orderId,
      bankStatus: this.bankStatus,
      fee: this.fee,
      feeCurrency: this.feeCurrency,
      awaited:
        awaited === undefined
          ? null
          : {
              kind: awaited.kind,
              digest: awaited.digest,
              needed: awaited.needed,
              approvedBy: awaited.approvedBy,
              expiresAt: awaited.expiresAt === undefined ? null : new Date(awaited.expiresAt).toISOString(),
            },
      evidence: this.evidence,
    };
  }

  private details(): string {
    const rows: [string, string][] = [
      ['payout', this.title],
      ['state', this.state],
      ['why', this.reason?.message ?? ''],
      ['order', this.orderId ?? ''],
      ['bank status', this.bankStatus ?? ''],
      ['fee', this.fee === null ? '' : `${this.fee} ${this.feeCurrency ?? ''}`],
      ['awaits', this.awaited === undefined ? '' : awaitedText(this.awaited)],
    ];
    const shown = rows.filter(([, value]) => value !== '');
    return ['| | |', '|---|---|', ...shown.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
  }
}

function isNotice(value: unknown): value is OrderNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { reference, orderId, status } = value as Partial<OrderNotice>;
  return typeof reference === 'string' && typeof orderId === 'string' && typeof status === 'string';
}

function awaitedText({ kind, needed, approvedBy, digest }: AwaitedApproval): string {
  const what = { payout: 'approval', bank: 'approval of the bank order', hold: 'decision on the hold' }[kind];
  return `${what}: ${approvedBy.length} of ${needed}, digest ${digest}; signal \`approve\` or \`reject\`, or update \`decide\``;
}
