import { once } from 'node:events';
import { atRight, columnsOf, filledUp, fitted, labelled, shortId, widthOf, wordsOf, wrap } from '../domain/display.ts';
import { type Finding, formatFinding, rowsText, visible, warningsByKind } from '../domain/finding.ts';
import { Problem } from '../domain/problem.ts';

/** stdout carries the result only; progress, prompts and errors go to stderr. */
export interface Output {
  readonly json: boolean;
  /** The result: the document, with its version, where `--json` asks for it; the text otherwise. */
  result(document: object, text: string): void;
  /** Same, for a document too large for memory: JSON in pieces. */
  stream(pieces: AsyncIterable<string>, text: () => Promise<string>): Promise<void>;
  /** A file that is no text; with `--json` in base64. Throws a `Problem` on a terminal. */
  bytes(file: Buffer): void;
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
    bytes(file) {
      if (json) return this.result({ base64: file.toString('base64') }, '');
      if (stdout.isTTY) {
        const hint = 'Add > and the name of a file.';
        throw new Problem('usage', 'terminal-in-the-way', 'This is a file that a terminal cannot show.', { hint });
      }
      stdout.write(file);
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
 * its rows; what several lines would say in the same words, only the first of them says.
 */
export function formatFindings(findings: readonly Finding[]): string {
  const said = new Set<string>();
  const lines = [...Map.groupBy(findings, sameThing).values()].map((alike) => findingLine(alike, said));
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

function findingLine(alike: readonly Finding[], said: Set<string>): string {
  const [found] = alike;
  if (found === undefined) return '';
  const words = `${found.rule} ${found.message}`;
  const line = formatFinding(said.has(words) ? { ...found, message: 'as above' } : found);
  said.add(words);
  return alike.length === 1 ? line : `${line} (${rowsText(alike)})`;
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
 * Aligned columns for a terminal, figures at the right, with control characters made visible. What does not fit is made narrower:
 * ids of ours to a beginning that commands take for the whole, then the text of the last column in several lines. If that is not
 * enough, each row becomes a paragraph with its cells below each other. No word is ever broken.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width = widthOf(process.stdout),
): string {
  const shown = rows.map((row) => row.map(visible));
  const begun = shown.map((row) => row.map((cell, column) => (IDS.has(head[column] ?? '') ? idBegin(cell) : cell)));
  const fitting = [shown, begun].find((it) => room(head, it, width) >= widest(lastOf(it, head)));
  if (fitting !== undefined) return lines(head, fitting, width);
  const longest = Math.max(...lastOf(begun, head).flatMap((cell) => wordsOf(cell).map(columnsOf)));
  const left = room(head, begun, width);
  return left >= LAST_MIN && longest <= left ? lines(head, begun, width) : records(head, shown, width);
}

/** The least for sentences in the last column. */
const LAST_MIN = 24;

/** Columns with ids that commands also take by their beginning. */
const IDS: ReadonlySet<string> = new Set(['batch', 'payout', 'reference', 'subject', 'about']);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const idBegin = (cell: string): string => (UUID.test(cell) ? shortId(cell) : cell);

const widest = (cells: readonly string[]): number => Math.max(...cells.map(columnsOf));

/** The cells of a column with its head, the last one if none is named. */
const lastOf = (rows: readonly (readonly string[])[], head: readonly string[], column = head.length - 1): string[] =>
  [head, ...rows].map((row) => row[column] ?? '');

/** What is left for the last column. */
const room = (head: readonly string[], rows: readonly (readonly string[])[], width: number): number =>
  head.slice(0, -1).reduce((left, _, column) => left - widest(lastOf(rows, head, column)) - 2, width);

function lines(head: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const last = head.length - 1;
  const left = room(head, rows, width);
  const widths = head.map((_, column) => Math.min(widest(lastOf(rows, head, column)), column === last ? left : width));
  const pads = head.map((_, column) =>
    column > 0 && areFigures(lastOf(rows, head, column).slice(1)) ? atRight : filledUp,
  );
  const line = (cells: readonly string[]): string =>
    head
      .map((_, column) => (pads[column] ?? filledUp)(cells[column] ?? '', widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const wrapped = rows.flatMap((cells) =>
    wrap(cells[last] ?? '', left).map((part, index) =>
      line(head.map((_, at) => (at === last ? part : index === 0 ? (cells[at] ?? '') : ''))),
    ),
  );
  return [line(head), line(widths.map((it) => '-'.repeat(it))), ...wrapped].join('\n');
}

/** `1,250.00`, `-5 JPY`, and cells without a value. */
const FIGURE = /^(?:-?\d[\d,]*(?:\.\d+)?(?: [A-Z]{3})?)?$/;

const areFigures = (cells: readonly string[]): boolean =>
  cells.some((cell) => cell !== '') && cells.every((cell) => FIGURE.test(cell));

/**
 * Columns of a table by head; one that is empty in every row is left out. `spare`: heads of columns that are left out, one after
 * the other, until the rest fits.
 */
export function filledTable<Row>(
  columns: readonly (readonly [head: string, cell: (row: Row) => string])[],
  rows: readonly Row[],
  width: number,
  spare: readonly string[] = [],
): string {
  const filled = columns.filter(([, cell]) => rows.some((row) => cell(row) !== ''));
  const heads = filled.map(([head]) => head);
  const cells = rows.map((row) => filled.map(([, cell]) => cell(row)));
  const [next, ...further] = spare;
  const shown = cells.map((row) => row.map(visible));
  if (next === undefined || room(heads, shown, width) >= widest(lastOf(shown, heads)))
    return table(heads, cells, width);
  return filledTable(
    columns.filter(([head]) => head !== next),
    rows,
    width,
    further,
  );
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
