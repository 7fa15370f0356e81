import { condition } from '@temporalio/workflow';
import type { OrderNotice } from '../../domain/order-notice.ts';
import type { ResolveRequest } from '../../domain/resolve-action.ts';
import { Inbox } from '../execution/inbox.ts';
import { after } from './waits.ts';

/** Whether a cancel can still affect the current order: `open`, passed to the bank (`driven`), or `too-late`. */
export type CancelStage = 'open' | 'driven' | 'too-late';

/** What a payout has been told: news of its orders, operators' requests, a cancel. */
export class PayoutInbox extends Inbox<ResolveRequest> {
  /** For the order that is followed now; an exchange and its payment have one each. */
  cancelStage: CancelStage = 'open';
  private readonly notices: OrderNotice[] = [];
  private fresh = false;
  private readRequested = false;
  private alarm: { isOver: () => boolean; looks: number } | undefined;

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

  /** Whether somebody asked to look at whatever order there is, since the last `take`. */
  get isReadRequested(): boolean {
    return this.readRequested;
  }

  /** Marks all news as handled, because the next read covers it; returns whether there was any. */
  take(): boolean {
    const { fresh } = this;
    this.fresh = false;
    this.readRequested = false;
    return fresh;
  }

  /** The notices for a reference, oldest first. */
  noticesFor(reference: string): readonly OrderNotice[] {
    return this.notices.filter((notice) => notice.reference === reference);
  }

  /** Whether a cancel is requested and can still have an effect. */
  get wantsCancel(): boolean {
    return this.cancel !== undefined && this.cancelStage !== 'too-late';
  }

  /**
   * Waits for news until the safety timer fires. One timer serves the whole life. Each time it fires the next interval is longer.
   */
  async untilNews(patienceMs: number, news: () => boolean): Promise<void> {
    this.alarm ??= alarmAfter(patienceMs, 0);
    const { isOver, looks } = this.alarm;
    await condition(() => news() || isOver());
    if (isOver()) this.alarm = alarmAfter(patienceMs, looks + 1);
  }

  /** Nothing was heard for the patience time: whoever waits must look itself. */
  get isPatienceOver(): boolean {
    return this.alarm?.isOver() === true;
  }
}

const alarmAfter = (patienceMs: number, looks: number) => ({
  isOver: after(patienceMs * 2 ** Math.min(looks, 6), 'reads the order itself if nothing is reported'),
  looks,
});

function isNotice(value: unknown): value is OrderNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { reference, orderId, status } = value as Partial<OrderNotice>;
  return typeof reference === 'string' && typeof orderId === 'string' && typeof status === 'string';
}
