import { stripVTControlCharacters } from 'node:util';
import { groupedAmount, parseDecimal, type Sum } from './money.ts';
import { isEnd, needsAttention, type ShownState } from './payout-state.ts';

/** How values are shown to people in terminal and page. The CSV and JSON reports leave them unchanged. */

/** An id short enough to type, and long enough to be unique. */
export const shortId = (id: string): string => id.slice(0, 'xxxxxxxx-xxxx'.length);

/** A state for people: `awaiting approval`. */
export const stateWords = (state: string): string => state.replaceAll('-', ' ');

/** `1 payout`, `1,204 payouts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${groupedAmount(count)} ${count === 1 ? one : many}`;

/** `1,200.00 EUR, 5,000 JPY` */
export const totalsText = (totals: readonly Sum[]): string =>
  totals.map(({ currency, amount }) => `${groupedAmount(amount)} ${currency}`).join(', ');

/** `bob`, `bob or carol`, `bob, carol or dave`. */
export const anyOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

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

const FEW_HOURS = 10;

/** Approximate duration: `5 minutes`, `1 hour 20 minutes`, `12 hours`, `12 days`. */
export function spanOf(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / MINUTE_MS);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return counted(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  const rest = hours < FEW_HOURS ? minutes % 60 : 0;
  if (rest > 0) return `${counted(hours, 'hour')} ${counted(rest, 'minute')}`;
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day');
}

export type Tone = 'paid' | 'unpaid' | 'attention' | 'open';

/** The importance of a state, for colours and order. */
export function toneOf(state: ShownState): Tone {
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

/** Terminal widths for which texts are laid out. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 200;

/** Width for texts, from a terminal's `columns`. Without a terminal lines are not broken, since programs read them. */
export const widthOf = ({ columns }: { columns?: number }): number =>
  columns === undefined ? Number.POSITIVE_INFINITY : Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns));

const PLAIN = /^[ -~]*$/;
/** Accents and what else is written over the letter before it. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;
/** Letters of East Asia, and pictures. */
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/gu;

/** How many columns of a terminal a line takes, without its colours. */
export function columnsOf(line: string): number {
  if (PLAIN.test(line)) return line.length;
  const shown = stripVTControlCharacters(line).replace(WITHOUT_WIDTH, '');
  return [...shown.replace(WIDE, '  ')].length;
}

/** `padEnd` and `padStart` by columns of a terminal. */
export const filledUp = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
export const atRight = (text: string, columns: number): string =>
  ' '.repeat(Math.max(0, columns - columnsOf(text))) + text;

/**
 * A word, or a command in backticks with its adjacent characters: of a command broken across lines, only half would run when
 * pasted.
 */
const WORD = /(?:`[^`\n]*`|[^ ])+/g;
export const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

/** Lines of at most `width` characters, broken only at blanks; a longer word or command is not broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of wordsOf(text)) {
    const columns = columnsOf(word);
    if (line !== '' && used + 1 + columns > width) {
      lines.push(line);
      line = word;
      used = columns;
    } else {
      used += line === '' ? columns : 1 + columns;
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Wraps lines that are too long, with their own indentation. */
export function fitted(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (columnsOf(line) <= width) return [line];
      const words = line.trimStart();
      const indent = ' '.repeat(line.length - words.length);
      return wrap(words, width - indent.length).map((part) => indent + part);
    })
    .join('\n');
}

/** `label  text`, with the text wrapped below itself. */
export function labelled(label: string, text: string, { indent = 0, labelWidth, width }: LabelLayout): string[] {
  const margin = indent + labelWidth;
  return wrap(text, Math.max(20, width - margin)).map(
    (line, index) => `${' '.repeat(indent)}${(index === 0 ? label : '').padEnd(labelWidth)}${line}`,
  );
}

/** A line for each label that has a text. */
export const labelledLines = (lines: readonly LabelledText[], layout: LabelLayout): string[] =>
  lines.flatMap(([label, text]) => (text == null || text === '' ? [] : labelled(label, text, layout)));

export type LabelledText = readonly [label: string, text: string | null | undefined];

interface LabelLayout {
  indent?: number;
  /** Including the blanks after the label. */
  labelWidth: number;
  width: number;
}
