import { condition, sleep } from '@temporalio/workflow';
import type { OrderNotice } from '../../domain/order-notice.ts';
import { Inbox } from '../execution/inbox.ts';
import type { ResolveUpdate } from '../messages.ts';

/** How far a cancel can still do something about the order that is under way. */
export type CancelStanding = 'open' | 'driven' | 'too-late';

/** What others have told a payout: news of its orders, what operators ask for, the wish to cancel. */
export class PayoutInbox extends Inbox<ResolveUpdate> {
  /** Of the order that is followed now; an exchange and its payment have one each. */
  cancelStanding: CancelStanding = 'open';
  private readonly notices: OrderNotice[] = [];
  private fresh = false;
  private lookWanted = false;
  private alarm: { fired: boolean; looks: number } | undefined;

  /** The order is looked at without waiting for news of it. */
  lookAgain(): void {
    this.fresh = true;
  }

  /** Whatever came as the payload of a signal: what is no notice only says "look". */
  tell(notice: unknown): void {
    this.lookAgain();
    if (isNotice(notice)) this.notices.push(notice);
    else this.lookWanted = true;
  }

  /** Something was told since it was last taken. */
  get hasNews(): boolean {
    return this.fresh;
  }

  /** Somebody has asked for a look at whatever order there is, since it was last taken. */
  get isAskedToLook(): boolean {
    return this.lookWanted;
  }

  /** What is looked at from now on covers all that was told so far; returns whether there was anything. */
  take(): boolean {
    const { fresh } = this;
    this.fresh = false;
    this.lookWanted = false;
    return fresh;
  }

  /** The orders that were told of under a reference, oldest first. */
  toldOf(reference: string): readonly OrderNotice[] {
    return this.notices.filter((notice) => notice.reference === reference);
  }

  /** A cancel was asked for and can still do something. */
  get wantsCancel(): boolean {
    return this.cancel !== undefined && this.cancelStanding !== 'too-late';
  }

  /**
   * Waits for news until the safety timer fires. One timer serves the whole life and is left pending at the end: cancelling it
   * costs an event. After it has fired, looks are spaced ever wider.
   */
  async untilNews(patienceMs: number, news: () => boolean): Promise<void> {
    this.alarm ??= setAlarm(patienceMs, 0);
    const { alarm } = this;
    await condition(() => news() || alarm.fired);
    if (alarm.fired) this.alarm = setAlarm(patienceMs * 2 ** Math.min(alarm.looks + 1, 6), alarm.looks + 1);
  }

  /** Nothing was heard for the patience time: whoever waits looks itself. */
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
