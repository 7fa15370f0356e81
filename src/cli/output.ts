import { once } from 'node:events';
import { atRight, columnsOf, filledUp, fitted, labelled, widthOf } from '../domain/display.ts';
import { type Finding, formatFinding, rowsText, visible, warningsByKind } from '../domain/finding.ts';

/** stdout carries the result only; progress, prompts and errors go to stderr. */
export interface Output {
  readonly json: boolean;
  /** The result: the document, with its version, where `--json` asks for it; the text otherwise. */
  result(document: object, text: string): void;
  /** Same, for a document too large for memory: JSON in pieces. */
  stream(pieces: AsyncIterable<string>, text: () => Promise<string>): Promise<void>;
  /** For the person watching; nothing with `--quiet`. */
  say(text: string): void;
  /** What a question is about; shown even with `--quiet`. */
  notify(text: string): void;
  /** On a terminal, replaces the previous line; elsewhere, prints a line now and then. Nothing with `--quiet`. */
  progress(text: string): void;
}

/** JSON escapes line breaks inside strings, so this removes only those between tokens. */
const onOneLine = (json: string): string => plainJson(json.replaceAll('\n', ''));

const QUIET_PROGRESS_MS = 10_000;

export function createOutput(options: {
  json: boolean;
  quiet?: boolean;
  stdout?: NodeJS.WriteStream;
  stderr?: NodeJS.WriteStream;
}): Output {
  const { json, quiet = false, stdout = process.stdout, stderr = process.stderr } = options;
  let shown = '';
  let lastQuietAt = 0;
  const clear = (): void => {
    if (shown !== '' && stderr.isTTY) stderr.write('\r\u001b[2K');
    shown = '';
  };
  const notify = (text: string): void => {
    clear();
    stderr.write(`${fitted(plainText(text), widthOf(stderr))}\n`);
  };
  return {
    json,
    notify,
    result(document, text) {
      clear();
      const shown = json
        ? plainJson(JSON.stringify({ schemaVersion: 1, ...document }))
        : plainText(text.replace(/\n$/, ''));
      stdout.write(`${shown}\n`);
    },
    async stream(pieces, text) {
      clear();
      if (!json) return this.result({}, await text());
      for await (const piece of pieces) if (!stdout.write(onOneLine(piece))) await once(stdout, 'drain');
      stdout.write('\n');
    },
    say(text) {
      if (!quiet) notify(text);
    },
    progress(given) {
      const text = plainText(given);
      if (quiet || text === shown) return;
      if (stderr.isTTY) {
        clear();
        // Of a line that wraps, only the last part could be cleared.
        stderr.write(text.slice(0, Math.max(1, (stderr.columns ?? 80) - 1)));
        shown = text;
        return;
      }
      const now = performance.now();
      if (lastQuietAt !== 0 && now - lastQuietAt < QUIET_PROGRESS_MS) return;
      lastQuietAt = now;
      shown = text;
      stderr.write(`${text}\n`);
    },
  };
}

/**
 * Allowed: line breaks, tabs, and the colours that we write ourselves. Any other sequence could hide or overwrite the text around
 * it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const OURS = /(\u001b\[(?:0|[12]|22|3[0-79]|9[0-7])m|[\n\t])/;

/**
 * The text with everything that could steer a terminal made visible: parts may come from a bank, a workflow or another gateway.
 */
export const plainText = (text: string): string =>
  text
    .split(OURS)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');

/** The same for JSON, which itself escapes only characters below U+0020. */
const plainJson = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

const FINDINGS_SHOWN = 200;

/**
 * Findings as lines, only the first of very many. A finding about one account or payee of a bank message is shown once, with all
 * its rows.
 */
export function formatFindings(findings: readonly Finding[]): string {
  const lines = [...Map.groupBy(findings, sameThing).values()].map(findingLine);
  const shown = lines.slice(0, FINDINGS_SHOWN);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`... and ${more} more (all of them with --json)`] : [])].join('\n');
}

/** Warnings, which stop nothing: one line for each kind, with its rows. */
export const formatWarnings = (warnings: readonly Finding[]): string =>
  warningsByKind(warnings).map(warningLine).join('\n');

/** Only findings of bank messages are merged across rows; in a table each row is listed by itself. */
function sameThing({ line, row, column, value, rule, message, path }: Finding): string {
  const place = path === undefined || row === null ? [line, row, path] : [];
  return JSON.stringify([...place, column, value, rule, message]);
}

function findingLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  return alike.length === 1 ? formatFinding(first) : `${formatFinding(first)} (${rowsText(alike)})`;
}

function warningLine(alike: readonly Finding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const subject = [first.rule, first.column].filter((part) => part !== null).join(' ');
  return `warning: ${subject}: ${first.message} (${rowsText(alike)})`;
}

/** A value for a command to paste: quoted for a POSIX shell if it needs to be. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Aligned columns for a terminal, figures at the right, with control characters made visible. If the columns do not fit side by
 * side, each row becomes a paragraph with its cells below each other: no word is ever broken.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width = widthOf(process.stdout),
): string {
  const shown = rows.map((row) => row.map(visible));
  const columns = head.map((name, column) => [name, ...shown.map((row) => row[column] ?? '')]);
  const widths = columns.map((cells) => Math.max(...cells.map(columnsOf)));
  const pads = columns.map((cells, column) => (column > 0 && areFigures(cells.slice(1)) ? atRight : filledUp));
  if (widths.reduce((sum, it) => sum + it + 2, -2) > width) return records(head, shown, width);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (pads[column] ?? filledUp)(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((it) => '-'.repeat(it))), ...shown.map(line)].join('\n');
}

/** `1,250.00`, `-5 JPY`, and cells without a value. */
const FIGURE = /^(?:-?\d[\d,]*(?:\.\d+)?(?: [A-Z]{3})?)?$/;

const areFigures = (cells: readonly string[]): boolean =>
  cells.some((cell) => cell !== '') && cells.every((cell) => FIGURE.test(cell));

/** Columns of a table by head; one that is empty in every row is left out. */
export function filledTable<Row>(
  columns: readonly (readonly [head: string, cell: (row: Row) => string])[],
  rows: readonly Row[],
  width: number,
): string {
  const filled = columns.filter(([, cell]) => rows.some((row) => cell(row) !== ''));
  const heads = filled.map(([head]) => head);
  const cells = rows.map((row) => filled.map(([, cell]) => cell(row)));
  return table(heads, cells, width);
}

function records(head: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const labelWidth = Math.max(...head.map(({ length }) => length)) + 2;
  return rows
    .map((row) =>
      head
        .filter((_, column) => (row[column] ?? '') !== '')
        .flatMap((name) => labelled(name, row[head.indexOf(name)] ?? '', { labelWidth, width }))
        .join('\n'),
    )
    .join('\n\n');
}
