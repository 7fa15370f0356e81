import { DAY_MS, dayIn, laterDay, midnightOf } from '../time.ts';
import type { Match } from './booked.ts';
import type { Direction, StatementKind } from './statement.ts';

/** What the bank's ledger of an account says of some days, by what each booking was: it adds up, or says what is unexplained. */

/** Two business days, ISO 8601; both belong to it. */
export interface Period {
  from: string;
  to: string;
}

/** `2026-03-31`, `2026-03`, `2026-03-01..2026-03-15`, `today`, `yesterday`; undefined: none of these. @param today ISO 8601 day */
export function periodIn(text: string, today: string): Period | undefined {
  const [first = '', last = first, ...more] = text.split('..').map((part) => dayNamed(part, today));
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) ? monthOf(text) : undefined;
  if (month !== undefined) return month;
  return more.length === 0 && [first, last].every((day) => midnightOf(day) !== undefined) && first <= last
    ? { from: first, to: last }
    : undefined;
}

function dayNamed(text: string, today: string): string {
  if (text === 'today') return today;
  return text === 'yesterday' ? laterDay(today, -1) : text;
}

/** @param month `2026-03` */
function monthOf(month: string): Period | undefined {
  const from = `${month}-01`;
  if (midnightOf(from) === undefined) return undefined;
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { from, to: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, from.length) };
}

/** As `periodIn` reads it: a day, a month or two days. */
export function periodName({ from, to }: Period): string {
  if (from === to) return from;
  const month = from.slice(0, 'YYYY-MM'.length);
  return monthOf(month)?.from === from && monthOf(month)?.to === to ? month : `${from}..${to}`;
}

/** The first moment of an ISO day in a time zone, epoch ms. */
export function startOfDay(day: string, zone: string): number {
  const guess = midnightOf(day) ?? Number.NaN;
  // No zone is further than 14 hours from UTC, and none moves its clock by other than quarters of an hour.
  for (let at = guess - DAY_MS; at <= guess + DAY_MS; at += QUARTER_MS) if (dayIn(at, zone) >= day) return at;
  return guess;
}
const QUARTER_MS = 900_000;

/** What bookings were, in the order of a report. Above zero: it came to the account. */
export const LINES = [
  'paid',
  'fees',
  'sold',
  'bought',
  'transferredOut',
  'transferredIn',
  'returned',
  'otherOut',
  'otherIn',
  'unexplainedOut',
  'unexplainedIn',
] as const;
export type Line = (typeof LINES)[number];

/** A statement as far as it keeps the ledger: minor units. */
export interface LedgerStatement {
  statementId: string;
  kind: StatementKind;
  from: string;
  to: string;
  opening: bigint;
  closing: bigint;
}

/** A booking, and what of it belongs to movements of ours, signed. */
export interface LedgerEntry {
  entryId: string;
  bookedOn: string;
  minor: bigint;
  direction: Direction;
  isDeposit: boolean;
  parts: readonly { kind: Match['kind']; minor: bigint }[];
}

/** A change of the balance without a booking, on the day on which it was seen. */
export interface Gap {
  on: string;
  minor: bigint;
}

/**
 * Which statements make up the ledger, in order, and where one does not continue the balance of the one before. A statement of days
 * that others cover already is left out: a bank may send days and months.
 */
export function chainOf(statements: readonly LedgerStatement[]): { chain: LedgerStatement[]; gaps: Gap[] } {
  const left = statements.toSorted((a, b) => compare(a.from, b.from) || compare(b.to, a.to));
  const [chain, gaps]: [LedgerStatement[], Gap[]] = [[], []];
  for (let last: LedgerStatement | undefined; left.length > 0; ) {
    const [first] = left;
    const alike = left.filter(({ from, to }) => from === first?.from && to === first.to);
    const next = alike.find((it) => isNextOf(last, it, alike)) ?? first;
    if (next === undefined) break;
    left.splice(left.indexOf(next), 1);
    const gap = next.opening - (last?.closing ?? next.opening);
    if (last !== undefined && next.from <= last.to && (gap !== 0n || isWithin(next, last))) continue;
    if (gap !== 0n) gaps.push({ on: next.from, minor: gap });
    chain.push(next);
    last = { ...next, to: last !== undefined && last.to > next.to ? last.to : next.to };
  }
  return { chain, gaps };
}

/** Of the days of a longer one. */
const isWithin = (it: LedgerStatement, longer: LedgerStatement): boolean => it.from < longer.to && it.to <= longer.to;

const isNextOf = (
  last: LedgerStatement | undefined,
  it: LedgerStatement,
  alike: readonly LedgerStatement[],
): boolean =>
  last === undefined
    ? !alike.some((other) => other !== it && other.closing === it.opening)
    : it.opening === last.closing;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export type LineSums = Record<Line, bigint>;

/** Adds up a period of one account, an entry at a time. `opening + lines = closing`, always. */
export class PeriodSums {
  readonly lines: LineSums = noLines();
  bookings = 0;
  private readonly period: Period;

  constructor(period: Period) {
    this.period = period;
  }

  /** @param on its day in the ledger */
  add({ minor, direction, isDeposit, parts }: LedgerEntry, on: string): void {
    if (on < this.period.from || on > this.period.to) return;
    this.bookings += 1;
    let rest = direction === 'credit' ? minor : -minor;
    for (const part of parts) {
      this.lines[lineOf(part.kind, part.minor)] += part.minor;
      rest -= part.minor;
    }
    if (rest !== 0n && isDeposit && parts.length === 0) this.lines.otherIn += rest;
    else this.unexplained(rest);
  }

  gap({ on, minor }: Gap): void {
    if (on >= this.period.from && on <= this.period.to) this.unexplained(minor);
  }

  closing(opening: bigint): bigint {
    return LINES.reduce((sum, line) => sum + this.lines[line], opening);
  }

  private unexplained(minor: bigint): void {
    this.lines[minor < 0n ? 'unexplainedOut' : 'unexplainedIn'] += minor;
  }
}

const noLines = (): LineSums => Object.fromEntries(LINES.map((line) => [line, 0n])) as LineSums;

function lineOf(kind: Match['kind'], minor: bigint): Line {
  const isIn = minor > 0n;
  switch (kind) {
    case 'payment':
      return isIn ? 'returned' : 'paid';
    case 'fee':
      return 'fees';
    case 'exchange':
      return isIn ? 'bought' : 'sold';
    case 'transfer':
      return isIn ? 'transferredIn' : 'transferredOut';
    case 'return':
      return 'returned';
    case 'card':
    case 'other':
      return isIn ? 'otherIn' : 'otherOut';
  }
}

/** The day of an entry in the ledger: that of the booking, moved into the days of its statement. */
export const dayInLedger = (bookedOn: string, { from, to }: LedgerStatement): string =>
  bookedOn < from ? from : bookedOn > to ? to : bookedOn;
