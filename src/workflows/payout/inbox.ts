import { condition } from '@temporalio/workflow';
import type { PaidOrder } from '../../domain/order-judgement.ts';
import type { OrderNotice } from '../../domain/order-status.ts';
import type { ResolveRequest } from '../../domain/payout-state.ts';
import { after, Inbox } from '../execution.ts';
import { endOfOrder } from '../proxies.ts';

/** What a payout has been told: news of its orders, operators' requests, a cancel. */
export class PayoutInbox extends Inbox<ResolveRequest> {
  private readonly notices: OrderNotice[] = [];
  private fresh = false;
  private readRequested = false;
  private alarm: { isOver: () => boolean; looks: number } | undefined;
  /** By order id: what the watch told of its end, or that it is asked to tell it. */
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

  /**
   * Waits for news until the safety timer fires. One timer serves the whole life. Each time it fires the next interval is longer.
   */
  async untilNews(patienceMs: number, news: () => boolean): Promise<void> {
    this.alarm ??= alarmAfter(patienceMs, 0);
    const { isOver, looks } = this.alarm;
    await condition(() => news() || isOver());
    if (isOver()) this.alarm = alarmAfter(patienceMs, looks + 1);
  }

  /**
   * Asks the watch to tell the end of an order, which is news then. If it tells none for the patience time, that is news too, and
   * it can be asked again, for a longer time. False: it has told already.
   */
  awaitsEnd(orderId: string, patienceMs: number): boolean {
    const end = this.ends.get(orderId);
    if (end === undefined) {
      this.ends.set(orderId, 'asked');
      void this.endReturned(orderId, patienceMs);
    }
    return end === undefined || end === 'asked';
  }

  /** The paid order as the watch told it; the end is stored. */
  returnedEnd(orderId: string): PaidOrder | undefined {
    const end = this.ends.get(orderId);
    return end === 'asked' ? undefined : end;
  }

  private async endReturned(orderId: string, patienceMs: number): Promise<void> {
    const { awaitOrderEnd } = endOfOrder(orderId, longer(patienceMs, this.waits));
    this.waits += 1;
    try {
      this.ends.set(orderId, await awaitOrderEnd.executeWithOptions({ summary: IF_NOTHING_IS_HEARD }, []));
    } catch {
      this.ends.delete(orderId);
    }
    this.readAgain();
  }

  /** Nothing was heard for the patience time: whoever waits must look itself. */
  get isPatienceOver(): boolean {
    return this.alarm?.isOver() === true;
  }
}

const IF_NOTHING_IS_HEARD = 'reads the order itself if nothing is reported';

const longer = (patienceMs: number, times: number): number => patienceMs * 2 ** Math.min(times, 6);

const alarmAfter = (patienceMs: number, looks: number) => ({
  isOver: after(longer(patienceMs, looks), IF_NOTHING_IS_HEARD),
  looks,
});

function isNotice(value: unknown): value is OrderNotice {
  if (typeof value !== 'object' || value === null) return false;
  const { reference, orderId, status } = value as Partial<OrderNotice>;
  return typeof reference === 'string' && typeof orderId === 'string' && typeof status === 'string';
}
