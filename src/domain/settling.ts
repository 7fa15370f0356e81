import { type BusinessCalendar, dueAt, valueDay } from './business-days.ts';
import { HOUR_MS, isoDate } from './time.ts';

/** How long earlier payouts of the same currency and payment type took from being sent to being paid. Durations in ms. */
export interface Settling {
  /** How many they are. */
  of: number;
  /** Nine of ten took at most so long. */
  usualMs: number;
  slowestMs: number;
}

/** Of fewer nothing is said. */
const LEAST = 10;

export function settlingOf(durations: readonly number[]): Settling | undefined {
  const sorted = durations.toSorted((a, b) => a - b);
  const [usualMs, slowestMs] = [sorted[Math.ceil(sorted.length * 0.9) - 1], sorted.at(-1)];
  if (sorted.length < LEAST || usualMs === undefined || slowestMs === undefined) return undefined;
  return { of: sorted.length, usualMs, slowestMs };
}

interface Payment {
  currency: string;
  payment_type?: string | undefined;
}

/** Payouts that settle alike. */
export const settlingKey = ({ currency, payment_type: type = '' }: Payment): string => `${currency} ${type}`;

/** Below this nobody looks, however quick the others were. */
const SLOWER_LEAST_MS = HOUR_MS;

/** Whether a payout that was sent at `since` is open for longer than every earlier one of its kind took. */
export const isSlower = (since: number, at: number, settling: Settling | undefined): boolean =>
  settling !== undefined && at - since > Math.max(settling.slowestMs, SLOWER_LEAST_MS);

/** When a payout is expected to count, as far as the calendar and earlier payouts say it. */
export interface Arrival {
  /** ISO date for which it counts if it is sent now or on its date; absent: no calendar is set. */
  day?: string;
  late?: 'after-cut-off' | 'closed-day';
  /** `15:30 Europe/Berlin`, of that day. */
  cutOff?: string;
  /** It waits for a date after today. */
  isScheduled?: true;
}

/** Of a payout that is not sent yet. @param at epoch ms */
export function arrivalIfSent(
  at: number,
  { execute_on, ...payment }: Payment & { execute_on?: string | undefined },
  calendar: BusinessCalendar | undefined,
): Arrival {
  const named = { currency: payment.currency, ...(execute_on !== undefined && { execute_on }) };
  const due = execute_on === undefined ? undefined : dueAt(named, calendar);
  const isScheduled = due !== undefined && due > at;
  const scheduled = isScheduled ? ({ isScheduled } as const) : {};
  if (calendar === undefined) return isScheduled ? { day: isoDate(due), ...scheduled } : {};
  const { currency, payment_type: type } = payment;
  const its = { currency, ...(type !== undefined && { payment_type: type }) };
  const { date: day, late, cutOff } = valueDay(Math.max(at, due ?? at), its, calendar);
  return {
    ...{ day, ...scheduled },
    ...(late !== undefined && { late }),
    ...(cutOff !== undefined && { cutOff: `${cutOff.at} ${cutOff.zone}` }),
  };
}
