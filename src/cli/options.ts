import { InvalidArgumentError } from 'commander';
import { holdsCardNumber } from '../domain/card-number.ts';
import { PAYOUT_STATES, type PayoutState } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import { isReasonCode } from '../domain/reasons.ts';
import { DAY_MS, midnightOf } from '../domain/time.ts';
import { option } from './command.ts';

// Parsers for option values. Each throws commander's error, which names the option, unless it says otherwise.

/** Text that is stored and shown to people. Throws a `Problem`: commander's own error would repeat the text. */
export function storableText(text: string): string {
  if (!holdsCardNumber(text) && !/\p{Cc}/u.test(text)) return text;
  throw new Problem('usage', 'text-refused', 'Stored text must not contain a card number or control characters.', {
    hint: 'Remove the number from names, reasons and evidence, and write them on one line.',
  });
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

const numberIn = (least: number, most: number, rule: string) => (text: string) => {
  const value = wholeNumber(text);
  if (value < least || value > most) throw new InvalidArgumentError(rule);
  return value;
};

export const port = numberIn(0, 65_535, 'a port is a number from 0 to 65535');
export const canary = numberIn(1, Number.POSITIVE_INFINITY, 'must be at least one row');
export const days = numberIn(1, 3_650, '1 to 3650 days');

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds, from texts like `90s`, `10m`, `2h`. */
export function duration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('a duration is a number with a unit: 90s, 10m, 2h');
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}

/** Numbers of data rows, from a text like `3,7-9`. */
export function rowNumbers(text: string): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part.trim());
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (!(first >= 1 && first <= last))
      throw new InvalidArgumentError('rows are numbers from 1 on, or ranges from low to high: 3,7-9');
    for (let row = first; row <= last; row += 1) rows.add(row);
  }
  return rows;
}

/** States of payouts, from a text like `held,needs-operator`. */
export function payoutStates(text: string): readonly PayoutState[] {
  return text.split(',').map((part) => {
    const state = PAYOUT_STATES.find((it) => it === part.trim());
    if (state === undefined) throw new InvalidArgumentError(`the states are ${PAYOUT_STATES.join(', ')}`);
    return state;
  });
}

/** The first moment of a day in UTC, in epoch ms; the day is a date, `today` or `yesterday`. */
export function dayStart(text: string): number {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  if (text === 'today') return today;
  if (text === 'yesterday') return today - DAY_MS;
  const at = midnightOf(text);
  if (at !== undefined) return at;
  throw new InvalidArgumentError('a day is a date of the calendar such as 2026-03-31, today or yesterday');
}

/** The first moment after a day in UTC, in epoch ms. */
export const dayEnd = (text: string): number => dayStart(text) + DAY_MS;

/** One day, or the first and the last day of a range: `2026-03-01..2026-03-31`. */
export function dayRange(text: string): { from: number; to: number } {
  const [first = '', last = first, ...more] = text.split('..');
  const range = { from: dayStart(first), to: dayEnd(last) };
  if (more.length === 0 && range.from < range.to) return range;
  throw new InvalidArgumentError('days are one day, or FIRST..LAST');
}

/** Reason codes of rows that wait for people: `look-alike,fee-above-cap`. */
export function waitKinds(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const kind = part.trim();
    if (isReasonCode(kind)) return kind;
    throw new InvalidArgumentError('a kind is a reason code, as `payouts inbox` shows in brackets');
  });
}

// Options of more than one command.

export const KEY = option('--key <file>', 'your key, if the policy requires signatures (default: PAYOUTS_SIGNING_KEY)');
export const BY = option('--by <name>', 'your name (default: the user of this machine)', { parse: storableText });
export const MAKER = option('--by <name>', 'name of the maker', { parse: storableText });
export const TIMEOUT = option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', {
  parse: duration,
});
/** Of a command that asks before it acts, and is told in whose name it does. */
export const CONFIRMED = [option('--yes', 'skip the confirmation', { default: false }), BY] as const;
/** The same, signed where a policy asks for that. */
export const SIGNED = [...CONFIRMED, KEY] as const;

// What arguments and options choose from.

export const namesIn = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(table) as Name[];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export const TEMPLATES = ['csv', 'json', 'pain.001', 'payees', 'mapping'] as const;
export type TemplateKind = (typeof TEMPLATES)[number];

/** Values of `doctor --accept`: what belongs to a store's identity and may change without the store being the wrong one. */
export const ACCEPTABLE = {
  bank: ['bank'],
  accounts: ['accounts', 'key'],
  key: ['key'],
  temporal: ['cluster', 'namespace'],
} as const;
