import { condition, sleep } from '@temporalio/workflow';
import type { OrderNotice } from '../../domain/order-notice.ts';
import type { ResolveRequest } from '../../domain/resolve-action.ts';
import { Inbox } from '../execution/inbox.ts';

/** Whether a cancel can still affect the current order: `open`, passed to the bank (`driven`), or `too-late`. */
export type CancelStage = 'open' | 'driven' | 'too-late';

/** What a payout has been told: news of its orders, operators' requests, a cancel. */
export class PayoutInbox extends Inbox<ResolveRequest> {
  /** For the order that is followed now; an exchange and its payment have one each. */
  cancelStage: CancelStage = 'open';
  private readonly notices: OrderNotice[] = [];
  private fresh = false;
  private readRequested = false;
  private alarm: { fired: boolean; looks: number } | undefined;

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
   * Waits for news until the safety timer fires. One timer serves the whole life and is left pending at the end, because
   * cancelling it costs an event. Each time it fires the next interval is longer.
   */
  async untilNews(patienceMs: number, news: () => boolean): Promise<void> {
    this.alarm ??= setAlarm(patienceMs, 0);
    const { alarm } = this;
    await condition(() => news() || alarm.fired);
    if (alarm.fired) this.alarm = setAlarm(patienceMs * 2 ** Math.min(alarm.looks + 1, 6), alarm.looks + 1);
  }

  /** Nothing was heard for the patience time: whoever waits must look itself. */
  get isPatienceOver(): boolean {
    return this.alarm?.fired === true;
  }
}

function setAlarm(ms: number, looks: number): { fired: boolean; looks: number } {
  const alarm = { fired: false, looks };
  void sleep(ms, { summary: 'reads the order itself if nothing is reported' }).then(() => {
    alarm.fired = true;
  });
  return alarm;
}

function isNotice(value: unknown): value is OrderNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { reference, orderId, status } = value as Partial<OrderNotice>;
  return typeof reference === 'string' && typeof orderId === 'string' && typeof status === 'string';
}
