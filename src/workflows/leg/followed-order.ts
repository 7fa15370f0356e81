import { condition } from '@temporalio/workflow';
import type { OrderRead, ReadOrderInput } from '../../activities/read.ts';
import type { OrderJudgement, PaidOrder } from '../../domain/order-judgement.ts';
import { isTerminal, type NoMoney, stageMeaning } from '../../domain/order-status.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { PATH_ID } from '../../domain/text.ts';
import { doublingPause } from '../../domain/time.ts';
import { answerOrUndefined, readOrder } from '../proxies.ts';
import type { OrderLeg } from './order-leg.ts';

/** What was decided about the audit of one order, and the bank's response. */
export interface Audit {
  /** The bank has accepted the decision; repeated only if the order does not show it after a while. */
  isDriven: boolean;
  /** Why people are asked again, if they are. */
  again?: Reason;
  /** Rounds of passing on a decision so far, to space repetitions. */
  tries: number;
}

export const BANK_APPROVAL_REQUIRED = because('bank-approval-required');

/** A read that shows that the order took no money. */
export type NoMoneyRead = OrderJudgement & { meaning: NoMoney };

/** What is remembered of one order while it is followed. */
export class Follow {
  readonly leg: OrderLeg;
  readonly audit: Audit = { isDriven: false, tries: 0 };
  /** By order id: how often a reported order was not found. */
  readonly notThere = new Map<string, number>();
  /**
   * Number of quick looks in a row; 0: wait for news. Looks are quick while a reported status is not shown yet, or a cancel waits
   * for the audit.
   */
  quickReads = 0;
  /** Visits to an operator, to space the reads between them. */
  parks = 0;
  /** Looks in a row that showed a conflict, before people are asked. */
  conflicts = 0;
  /** Id of another order under the reference that may take money, as of the last check. */
  second: string | undefined;
  /** A reported order could not be read in that check: it may exist and take money. */
  isSecondUnread = false;
  private openSince: number;
  private lastStatus = '';

  /** An order that an earlier run found stuck counts as stuck from the start. */
  constructor(leg: OrderLeg) {
    this.leg = leg;
    this.openSince = leg.plan.foundStuck ? 0 : Date.now();
  }

  /** How long to wait before the next read; undefined: until there is news. */
  get quickReadPause(): number | undefined {
    const { lookAgainMs, lookAgainMaxMs } = this.leg.terms.waits;
    return this.quickReads === 0 ? undefined : doublingPause(this.quickReads - 1, lookAgainMs, lookAgainMaxMs);
  }

  async untilNews(news: () => boolean): Promise<void> {
    const { quickReadPause, leg } = this;
    const { inbox } = leg.view;
    if (quickReadPause !== undefined) await condition(news, quickReadPause);
    else if (this.hearsEnd()) await condition(news);
    else await inbox.untilNews(leg.terms.waits.patienceMs, news);
  }

  /**
   * Whether its end will be told. That of an exchange is not, since only the run knows what the booked rate means, nor that of the
   * payment after it: the run already has its safety timer. Nor is that of an order whose id no path can hold.
   */
  private hearsEnd(): boolean {
    const { plan, terms, orderId = '', view } = this.leg;
    const hasExchange = plan.kind === 'exchange' || (plan.earlier?.known.attempts ?? 0) > 0;
    if (hasExchange) return false;
    // The watch cannot read it, and it may be no id of an activity: the server refuses a long one, and half a surrogate pair
    // ends the worker.
    if (!PATH_ID.test(orderId)) return false;
    return view.inbox.hearsEnd(orderId, terms.waits.patienceMs);
  }

  /** The order as the watch told it paid, unless another one under the reference asks for people. */
  get toldPaid(): PaidOrder | undefined {
    return this.second === undefined ? this.leg.view.inbox.toldEnd(this.leg.orderId ?? '') : undefined;
  }

  /** One GET. "Paid" is an end at the first read; "no money" only if a second read agrees with the `first`. */
  async read(first?: NoMoneyRead): Promise<OrderRead> {
    const { view, plan, orderId = '', terms, settledIfUnpaid, decision, despite, placedIds } = this.leg;
    const asksPeople = first === undefined && decision === undefined && !view.inbox.wantsCancel;
    const input: ReadOrderInput = {
      as: 'followed',
      claim: view.claim,
      leg: plan.kind,
      recorded: view.recorded,
      placedIds,
      orderId,
      closedMeans: terms.closedMeans,
      despite: despite.length > 0 ? despite : undefined,
      // With another order under the reference, no status of this one ends the payout until people have decided.
      isContested: this.second === undefined ? undefined : true,
      asks: asksPeople ? (this.audit.again ?? BANK_APPROVAL_REQUIRED) : undefined,
      rejectedAs: this.leg.rejectedAs,
      confirms: first && { meaning: first.meaning, settled: settledIfUnpaid },
      maxSlippage: plan.kind === 'exchange' ? terms.maxSlippage : undefined,
      thenAssess: plan.thenAssess,
    };
    const summary = first === undefined ? 'reads the order' : 'reads it again before "no money" is believed';
    const judgement: OrderRead = (await answerOrUndefined(() => readOrder(input, summary))) ?? {
      ...UNREADABLE,
      orderId,
    };
    view.bankStatus = judgement.status;
    if (judgement.status !== this.lastStatus) {
      if (this.lastStatus !== '') this.openSince = Date.now();
      this.lastStatus = judgement.status;
      view.note(`the bank shows ${judgement.status}`);
    }
    return judgement;
  }

  /** Why an order cannot be decided through the API; undefined if it can. */
  conflictOf({ differences, status, meaning }: OrderJudgement): ReasonCode | undefined {
    if (this.second !== undefined) return 'duplicate-suspected';
    if (differences.length > 0) return 'reference-conflict';
    if (status === UNREADABLE.status) return 'bank-unreachable';
    if (meaning === 'unclear') return 'status-unclear';
    const stuck = Date.now() - this.openSince >= this.leg.terms.waits.statusAgeLimitMs;
    // An audit may take long; one that we have decided and that does not move is stuck.
    const audited = meaning === 'awaiting-audit' && this.leg.decision !== undefined;
    return stuck && (meaning === 'open' || audited) ? STUCK : undefined;
  }

  /**
   * The watch reported an end that the order itself does not show yet (its list is ahead). No further report will come, so the
   * order is read at intervals until it shows an end.
   */
  noteNotBorneOut({ meaning }: OrderJudgement, hadNews: boolean): void {
    const { view, reference, terms } = this.leg;
    const { stage = 'open' } = view.inbox.noticesFor(reference).at(-1) ?? {};
    const noticed = stageMeaning(stage, terms.closedMeans);
    const contradicted = hadNews && noticed !== meaning && (isTerminal(noticed) || noticed === 'unclear');
    if (isTerminal(meaning)) this.quickReads = 0;
    else if (contradicted || this.quickReads > 0) this.quickReads += 1;
  }
}

export const STUCK: ReasonCode = 'status-stuck';

/** One wrong answer among good ones asks nobody: such a conflict has to stay over this many more looks, seconds apart. */
export const LOOKS_TO_CONFIRM = 2;

/** Stands for an order that the bank did not show within the time limit of the read. */
export const UNREADABLE: Pick<OrderJudgement, 'meaning' | 'stage' | 'status' | 'differences'> = {
  meaning: 'unclear',
  stage: 'unknown',
  status: 'UNREADABLE',
  differences: [],
};
