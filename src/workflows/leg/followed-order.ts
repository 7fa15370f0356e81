import { condition } from '@temporalio/workflow';
import type { OrderJudgement } from '../../domain/order-judgement.ts';
import { isNoMoney, isTerminal, stageMeaning } from '../../domain/order-status.ts';
import { doublingPause } from '../../domain/policy.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import type { OrderRead, ReadOrderInput } from '../../services/payout/read-order.ts';
import { call, isSuperseded } from '../proxies.ts';
import type { OrderLeg } from './order-leg.ts';

/** What was decided about the audit of one order, and what the bank made of it. */
export interface Audit {
  /** The bank has taken the decision; repeated only if the order does not show it after a while. */
  isDriven: boolean;
  /** Why people are asked again, where they are. */
  again?: { code: ReasonCode; detail?: string };
  /** Decisions driven so far, to space their repetitions. */
  tries: number;
}

export const BANK_APPROVAL_REQUIRED = because('bank-approval-required');

/** What is remembered of one order while it is followed. */
export class Follow {
  readonly leg: OrderLeg;
  readonly audit: Audit = { isDriven: false, tries: 0 };
  /** How often an order that was told of was not there. */
  readonly notThere = new Map<string, number>();
  /** Looks in a row after which the next one is soon: what was told is not shown yet, or a cancel waits for the audit. */
  quickLooks = 0;
  /** Visits to an operator, to space the looks in between. */
  parks = 0;
  /** Another order under the reference that is there, as of before the last look. */
  second: string | undefined;
  /** An order that was told of could not be read then: it may be there, and may take money. */
  isSecondUnread = false;
  private openSince: number;
  private lastStatus = '';

  /** An order that an earlier run found stuck has been so since before this one. */
  constructor(leg: OrderLeg) {
    this.leg = leg;
    this.openSince = leg.plan.foundStuck ? 0 : Date.now();
  }

  /** How long to wait before the next look; undefined: until there is news. */
  get quickLookPause(): number | undefined {
    const { lookAgainMs, lookAgainMaxMs } = this.leg.terms.waits;
    return this.quickLooks === 0 ? undefined : doublingPause(this.quickLooks - 1, lookAgainMs, lookAgainMaxMs);
  }

  async untilNews(news: () => boolean): Promise<void> {
    const { quickLookPause, leg } = this;
    if (quickLookPause === undefined) await leg.view.inbox.untilNews(leg.terms.waits.patienceMs, news);
    else await condition(news, quickLookPause);
  }

  /** One GET. "Paid" is an end at the first read; "no money" only when a second one says the same as the `first`. */
  async look(first?: OrderJudgement): Promise<OrderRead> {
    const { view, plan, orderId = '', terms, settledIfUnpaid } = this.leg;
    const judgement = await call(
      'readOrder',
      {
        claim: view.claim,
        leg: plan.kind,
        recorded: view.recorded,
        placedIds: this.leg.placedIds,
        orderId,
        closedMeans: terms.closedMeans,
        despite: this.leg.despite.length > 0 ? this.leg.despite : undefined,
        becomes: this.becomes(first),
        settled: first === undefined ? undefined : settledIfUnpaid,
        maxSlippage: plan.kind === 'exchange' ? terms.maxSlippage : undefined,
        thenAssess: plan.thenAssess,
      },
      first === undefined ? 'reads the order' : 'reads it again before "no money" is believed',
    ).catch((error: unknown): OrderRead => {
      if (isSuperseded(error)) throw error;
      return { ...UNREADABLE, orderId };
    });
    // What the end is called is stored by the second read, which goes by what the first has found.
    if (first === undefined) this.leg.rejectedAs = judgement.rejectedAs;
    view.bankStatus = judgement.status;
    if (judgement.status !== this.lastStatus) {
      if (this.lastStatus !== '') this.openSince = Date.now();
      this.lastStatus = judgement.status;
      view.note(`the bank shows ${judgement.status}`);
    }
    return judgement;
  }

  /** What the read may store: what it finds is then the payout's state without an event of its own. */
  private becomes(first: OrderJudgement | undefined): ReadOrderInput['becomes'] {
    const { leg } = this;
    const { plan, view } = leg;
    // With another order under the reference no status of this one is the payout's end before people have spoken.
    if (this.second !== undefined) return {};
    const paid = plan.endsPayout ? plan.endBy('paid', leg) : undefined;
    if (first !== undefined) {
      const { meaning } = first;
      if (!isNoMoney(meaning)) return {};
      return { paid, [meaning]: plan.endsPayout ? plan.endBy(meaning, leg) : undefined };
    }
    const asksPeople = leg.decision === undefined && !view.inbox.wantsCancel;
    const { again } = this.audit;
    const reason = again === undefined ? BANK_APPROVAL_REQUIRED : because(again.code, again.detail);
    const audit = { state: 'awaiting-bank-approval' as const, reason };
    return { paid, 'awaiting-audit': asksPeople ? audit : undefined };
  }

  /** Why an order cannot be decided through the API; undefined when it can. */
  conflictOf({ differences, status, meaning }: OrderJudgement): ReasonCode | undefined {
    if (this.second !== undefined) return 'duplicate-suspected';
    if (differences.length > 0) return 'reference-conflict';
    if (status === UNREADABLE.status) return 'bank-unreachable';
    if (meaning === 'unclear') return 'status-unclear';
    const stuck = Date.now() - this.openSince >= this.leg.terms.waits.statusAgeLimitMs;
    // An audit may take its time; one that we have decided and that does not move is stuck.
    const audited = meaning === 'awaiting-audit' && this.leg.decision !== undefined;
    return stuck && (meaning === 'open' || audited) ? STUCK : undefined;
  }

  /**
   * The watch told of an end that the order itself does not show yet (a list ahead of it): nobody will tell again, so it is
   * looked at again from here until it has one.
   */
  noteNotBorneOut({ meaning }: OrderJudgement, told: boolean): void {
    const { view, reference, terms } = this.leg;
    const { stage = 'open' } = view.inbox.toldOf(reference).at(-1) ?? {};
    const toldOf = stageMeaning(stage, terms.closedMeans);
    const contradicted = told && toldOf !== meaning && (isTerminal(toldOf) || toldOf === 'unclear');
    if (isTerminal(meaning)) this.quickLooks = 0;
    else if (contradicted || this.quickLooks > 0) this.quickLooks += 1;
  }
}

export const STUCK: ReasonCode = 'status-stuck';

/** What is seen of an order when the bank has not answered for the patience of a look. */
export const UNREADABLE: Pick<OrderJudgement, 'meaning' | 'stage' | 'status' | 'differences'> = {
  meaning: 'unclear',
  stage: 'unknown',
  status: 'UNREADABLE',
  differences: [],
};
