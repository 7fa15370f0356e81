import { parseDecimal } from './money.ts';
import { isEnd, needsAttention, type PayoutState } from './payout-state.ts';

/** How values are shown to people in terminal and page. The CSV and JSON reports leave them unchanged. */

/** An id short enough to type, and long enough to be unique. */
export const shortId = (id: string): string => id.slice(0, 'xxxxxxxx-xxxx'.length);

/** With thousands separators: `1234567.50` -> `1,234,567.50`. */
export function groupedAmount(amount: string | number): string {
  const [whole = '', fraction] = `${amount}`.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1 payout`, `1,204 payouts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${groupedAmount(count)} ${count === 1 ? one : many}`;

/** `1,200.00 EUR, 5,000 JPY` */
export const totalsText = (totals: readonly { currency: string; amount: string }[]): string =>
  totals.map(({ currency, amount }) => `${groupedAmount(amount)} ${currency}`).join(', ');

/** A time as documents for programs show it: the JSON report, events, answers of the gateway. */
export const iso = (at: number): string => new Date(at).toISOString();

export const isoOrNull = (at: number | null | undefined): string | null => (at == null ? null : iso(at));

/** A time to the minute: `2026-05-12 14:30 UTC`. */
export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** For a column whose heading says that it is UTC, e.g. `2026-11-27 12:01:19`. */
export const secondOf = (at: number | string): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** How long ago, given in ms; what a clock that was ahead has recorded may be still to come. */
export const agoOf = (ms: number): string =>
  ms < -MINUTE_MS ? `in ${spanOf(ms)}: a clock was wrong` : `${spanOf(ms)} ago`;

const MINUTE_MS = 60_000;

/** Approximate duration: `5 minutes`, `3 hours`, `12 days`. */
export function spanOf(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / MINUTE_MS);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return counted(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day');
}

export type Tone = 'paid' | 'unpaid' | 'attention' | 'open';

/** The importance of a state, for colours and order. */
export function toneOf(state: PayoutState): Tone {
  if (isEnd(state)) return state === 'completed' ? 'paid' : 'unpaid';
  return needsAttention(state) ? 'attention' : 'open';
}

/** `part / whole` in per mille, rounded down; computed from exact decimals, never from floats. */
export function perMille(part: string, whole: string): number {
  const [p, w] = [parseDecimal(part), parseDecimal(whole)];
  if (p === undefined || w === undefined || w.digits === 0n) return 0;
  const numerator = p.digits * 10n ** BigInt(w.scale) * 1000n;
  return Number(numerator / (w.digits * 10n ** BigInt(p.scale)));
}

/** `12 payouts by one person, 3 payouts by 2 people`. */
export const peopleText = (asked: readonly { people: number; payouts: number }[]): string =>
  asked
    .map(
      ({ people, payouts }) => `${counted(payouts, 'payout')} by ${people === 1 ? 'one person' : `${people} people`}`,
    )
    .join(', ');
