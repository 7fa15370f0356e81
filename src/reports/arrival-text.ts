import type { BusinessCalendar } from '../domain/business-days.ts';
import { counted, minuteOf, spanOf } from '../domain/display.ts';
import { isEnd } from '../domain/payout-state.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import { type Arrival, arrivalIfSent, isSlower, type Settling, settlingKey } from '../domain/settling.ts';
import type { PayoutRecord } from '../store/store.ts';

/** What an expected arrival is computed from. */
export interface Foresight {
  /** Epoch ms. */
  at: number;
  calendar: BusinessCalendar | undefined;
  /** By `settlingKey`. */
  settling?: ReadonlyMap<string, Settling>;
}

export const SLOWER: ReasonCode = 'slower-than-others';

const settlingFor = ({ instruction }: PayoutRecord, { settling }: Foresight): Settling | undefined =>
  settling?.get(settlingKey(instruction));

/** It is with the bank for longer than every earlier payout like it was. */
export const isSlow = (row: PayoutRecord, foresight: Foresight): boolean =>
  row.kind === 'payout' &&
  row.state === 'processing' &&
  row.reason === null &&
  isSlower(row.stateSince, foresight.at, settlingFor(row, foresight));

/** When an open payout is expected to be paid, or for which day it counts; undefined: nothing is known of that. */
export function arrivalText(row: PayoutRecord, foresight: Foresight): string | undefined {
  const { kind, state, stateSince, instruction } = row;
  if (kind !== 'payout' || isEnd(state)) return undefined;
  const settling = settlingFor(row, foresight);
  if (state !== 'processing') return unsentText(row, foresight, settling);
  if (settling === undefined) return undefined;
  const { of, usualMs, slowestMs } = settling;
  const like = `of the last ${counted(of, 'payout')} in ${likeText(instruction)}`;
  if (isSlow(row, foresight)) return `overdue: all ${like} took about ${spanOf(inMinutes(slowestMs))} or less`;
  return `expected by ${minuteOf(stateSince + usualMs + MINUTE_MS)}: 9 of 10 ${like} took about ${spanOf(inMinutes(usualMs))} or less`;
}

/** Spans and times are shown in whole minutes, rounded up where they promise something. */
const MINUTE_MS = 60_000;
const inMinutes = (ms: number): number => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;

const likeText = ({ currency, payment_type: type }: PayoutRecord['instruction']): string =>
  type === undefined ? currency : `${currency} by ${type}`;

function unsentText({ state, instruction }: PayoutRecord, { at, calendar }: Foresight, settling: Settling | undefined) {
  // Its order is with the bank already, or may be.
  if (UNCERTAIN.has(state)) return undefined;
  const arrival = arrivalIfSent(at, instruction, calendar);
  const usually = settling && `usually paid within about ${spanOf(inMinutes(settling.usualMs))} of being sent`;
  const counts = countsText(arrival, instruction.currency);
  return [counts, usually].filter((text) => text !== undefined).join('; ') || undefined;
}

const UNCERTAIN: ReadonlySet<PayoutRecord['state']> = new Set([
  'resolving',
  'awaiting-bank-approval',
  'needs-operator',
]);

/** Undefined where nothing is special: it counts for the day on which it is sent. */
function countsText({ day = '', late, cutOff, isScheduled }: Arrival, currency: string): string | undefined {
  if (late === 'closed-day') return `no business day for ${currency} today: it counts for ${day} if it is sent`;
  if (late === 'after-cut-off') {
    return `too late today for ${currency} (cut-off ${cutOff}): it counts for ${day} if it is sent`;
  }
  if (isScheduled === true) return `sent on ${day}${cutOff === undefined ? '' : `, with the cut-off ${cutOff}`}`;
  return cutOff === undefined ? undefined : `in ${currency} it counts for ${day} if it is sent before ${cutOff}`;
}
