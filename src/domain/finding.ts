import { holdsCardNumber, isCardNumber } from './card-number.ts';
import { INSTRUCTION_FIELDS } from './instruction.ts';

/** One fault in an input file. Format fixed by test/e2e/documents.ts (`findings`). */
export interface Finding {
  /** File name as given. */
  file: string;
  /** Line where the record starts; the header is line 1. 0 if the finding is about a request and not about a line. */
  line: number;
  /** Data row, from 1; null if the finding is about the file or its header. */
  row: number | null;
  column: string | null;
  /** Safe to print: beneficiary details and free text are masked, control characters made visible. */
  value: string | null;
  /** kebab-case name of the broken rule. */
  rule: string;
  /** What is wrong and what to do about it. */
  message: string;
  /** Path in an XML document, e.g. `/Document/CstmrCdtTrfInitn/PmtInf[2]/CdtTrfTxInf[7]/Amt`; absent for other formats. */
  path?: string;
  /** Cell of a spreadsheet, `D5`; absent for other formats. */
  cell?: string;
  /** Of a warning: how many more rows have the same and are not listed. */
  more?: number;
}

const SHOWN_CHARACTERS_MAX = 80;
const RANGES_NAMED = 5;
/**
 * Control, format (bidi, zero-width) and separator characters, and lone surrogates; also letters, marks and symbols that show
 * nothing: joiners, Hangul fillers, Khmer inherent vowels, the blank Braille cell.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;

/** Free text may be about people, so it is masked like beneficiary details. */
export const isFreeText = (column: string): boolean => column === 'note' || column === 'reason';
const SHOWN_COLUMNS: ReadonlySet<string> = new Set(
  INSTRUCTION_FIELDS.filter((name) => !isFreeText(name) && name !== 'advice_to'),
);

/**
 * The value for a finding: unchanged in our own columns, masked in all others; null if blank. A card number given instead of a
 * card payment's id is masked too.
 */
export function shownValue(column: string, value: string | undefined): string | null {
  if (value === undefined || value === '') return null;
  const holdsCard = column === 'after_card_payment' && (holdsCardNumber(value) || isCardNumber(value));
  return printable(SHOWN_COLUMNS.has(column) && !holdsCard ? value : masked(value));
}

/** With visible characters only, and cut to a length for a terminal. */
export function printable(text: string): string {
  return visible(text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text);
}

/** Replaces characters that are invisible, or that change how the surrounding text reads, by `\uXXXX`. */
export function visible(text: string): string {
  return text.replace(UNPRINTABLE, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** Free text may have several lines, and scripts with joined letters need joiners; other values may have neither. */
const FREE_TEXT_LAYOUT = /[\n\r\t\u200c\u200d]/;

/** The value with U+FFFD for each character that a value of the column may not hold. */
export const withoutUnprintable = (column: string, value: string): string =>
  value.replace(UNPRINTABLE, (char) => (isFreeText(column) && FREE_TEXT_LAYOUT.test(char) ? char : '\ufffd'));

export const hasUnprintable = (column: string, value: string): boolean => withoutUnprintable(column, value) !== value;

/** Values with digits keep their last characters, names their first letter. */
function masked(value: string): string {
  if (!/\d/.test(value)) return `${[...value][0] ?? ''}***`;
  const kept = value.length >= 12 ? 4 : value.length >= 6 ? 2 : 0;
  return `***${kept === 0 ? '' : value.slice(-kept)}`;
}

/** Sorts findings of reader and rules into one list, in file order. */
export function inFileOrder(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => a.line - b.line);
}

/** `file` of findings about what was typed, which is one line. */
export const COMMAND_LINE = 'command line';

/** One line for a terminal: `payroll.csv:7 amount "10.5" too-many-decimals: ...`. */
export function formatFinding(finding: Finding): string {
  const behind = finding.cell === undefined ? `:${finding.line}` : ` ${finding.cell}`;
  const hasNoLines = finding.line === 0 || finding.file === COMMAND_LINE;
  const place = hasNoLines ? visible(finding.file) : `${visible(finding.file)}${behind}`;
  const subject = [finding.column, finding.value === null ? null : `"${finding.value}"`];
  const where = finding.path === undefined ? '' : ` (${finding.path})`;
  return `${[place, ...subject, finding.rule].filter((part) => part !== null).join(' ')}: ${finding.message}${where}`;
}

/** Warnings that say the same of different rows, together. */
export const warningsByKind = (warnings: readonly Finding[]): Finding[][] => [
  ...Map.groupBy(warnings, ({ rule, column, message }) => JSON.stringify([rule, column, message])).values(),
];

/** The rows of findings, only the first of many: `row 3`, `rows 3, 7-9 and 12 more`; `the file` if they have none. */
export function rowsText(findings: readonly Finding[]): string {
  const rows = [...new Set(findings.flatMap(({ row }) => row ?? []))].sort((a, b) => a - b);
  if (rows.length === 0) return 'the file';
  const ranges = consecutive(rows);
  const unlisted = findings.reduce((sum, { more = 0 }) => sum + more, 0);
  const more = ranges.slice(RANGES_NAMED).reduce((sum, { from, to }) => sum + to - from + 1, unlisted);
  const named = ranges.slice(0, RANGES_NAMED).map(rangeText).join(', ');
  return `${rows.length === 1 ? 'row' : 'rows'} ${named}${more === 0 ? '' : ` and ${more} more`}`;
}

/** A finding of code that does not know the name of the file. */
export type Found = Omit<Finding, 'file'>;

/**
 * A finding that ends the pass or is about the whole file has no row: then the meaning of the file is in doubt, so its other rows
 * must not be paid either.
 */
export const aboutFile = (line: number, rule: string, message: string): Found => ({
  line,
  row: null,
  column: null,
  value: null,
  rule,
  message,
});

/** Rows as `--rows` takes them, like `3,7-9`. */
export const rangesOf = (numbers: readonly number[]): string =>
  consecutive(numbers.toSorted((a, b) => a - b))
    .map(rangeText)
    .join(',');

interface Range {
  from: number;
  to: number;
}

/** Of numbers in ascending order. */
function consecutive(numbers: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last.to + 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}

const rangeText = ({ from, to }: Range): string => (from === to ? `${from}` : `${from}-${to}`);
