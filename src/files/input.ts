import { setImmediate } from 'node:timers/promises';
import type { OriginalMessage } from '../domain/bank-message.ts';
import { aboutFile, type Finding, type Found } from '../domain/finding.ts';
import type { ReadColumn, ReadRow } from './rules/read-row.ts';

/** Receives what a reader reads, as it reads: readers keep nothing of a file, and do not know its name. */
export interface RowSink<Reported = Found> {
  row(row: ReadRow): void;
  column(column: ReadColumn): void;
  finding: (finding: Reported) => void;
  /** Something to check that stops nothing. */
  warning: (warning: Reported) => void;
  /** As soon as the message's head is read, and again when more is known; the last call counts. */
  message(message: OriginalMessage): void;
}

/** Field names like those of the interface; excludes `__proto__` and look-alike letters. */
const COLUMN_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function isColumnName(name: string): boolean {
  return COLUMN_NAME.test(name);
}

/** A record larger than this is a broken file, not a payout. */
export const RECORD_BYTES_MAX = 64 * 1024;
/** Limit from the start of one record to the start of the next; beyond it the rest of a file is not read. */
export const STRETCH_BYTES_MAX = 4 * RECORD_BYTES_MAX;
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** Limit of a file whose text is in memory while it is read. */
export const TEXT_BYTES_MAX = 64 * 1024 * 1024;
export const ROWS_MAX = 1_000_000;
/** Far more than any bank asks for: such a file is not a list of payouts. */
export const COLUMNS_MAX = 500;

/** Passes on the first `bytesMax` bytes of a file. What comes after them is `UnreadableFile`. */
export async function* withinBytes(
  bytes: AsyncIterable<Uint8Array>,
  bytesMax = FILE_BYTES_MAX,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > bytesMax) {
      const message = `such a file may have at most ${bytesMax / 1024 / 1024} MiB; split it`;
      throw unreadable(1, 'file-too-large', message);
    }
    yield chunk;
  }
}

/**
 * Passes on what is read of the first `rowsMax` rows of a file, with its name in every finding. What comes after them is
 * `UnreadableFile`.
 */
export function withinRows(file: string, sink: RowSink<Finding>, rowsMax = ROWS_MAX): RowSink {
  const within = <Read extends { row: number | null; line: number }>(read: Read): Read => {
    if ((read.row ?? 0) <= rowsMax) return read;
    const message = `a file may have at most ${rowsMax} rows; split it. The rest was not checked`;
    throw unreadable(read.line, 'too-many-rows', message);
  };
  return {
    row: (row) => sink.row(within(row)),
    column: (column) => sink.column(within(column)),
    finding: (finding) => sink.finding({ file, ...within(finding) }),
    warning: (warning) => sink.warning({ file, ...within(warning) }),
    message: (message) => sink.message(message),
  };
}

export const tooManyColumns = (line: number): UnreadableFile =>
  unreadable(line, 'too-many-columns', `a file may have at most ${COLUMNS_MAX} columns. The rest was not checked`);

export const recordTooLarge = (line: number): UnreadableFile => unreadable(line, 'record-too-large', RECORD_TOO_LARGE);

const RECORD_TOO_LARGE = `a record may have at most ${RECORD_BYTES_MAX / 1024} KiB; a quote or a line ending may be missing. The rest was not checked`;

/**
 * Files are read in the process that also answers requests, keeps cards and heartbeats. So reading is cut into pieces that are
 * short for any content, and other work gets a turn between two of them.
 */

/** How long one turn may last before other work gets one, ms. */
const TURN_MS = 10;

/** Small enough that a reader processes it in a few ms, for any content. */
const PIECE_BYTES = 4 * 1024;

/** Resolves when the work may continue: at once, or after a turn of other work if its own was long enough. */
export type NextTurn = () => Promise<void> | undefined;

export function turns(): NextTurn {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

/** The same bytes in small pieces, with turns for other work. */
export async function* inTurns(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const next = turns();
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await next();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

export async function* itemsInTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  const next = turns();
  for (const item of items) {
    await next();
    yield item;
  }
}

/** The rest of the file cannot be read; has the one finding that says why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly finding: Found;

  constructor(finding: Found) {
    super(finding.message);
    this.finding = finding;
  }
}

export const unreadable = (line: number, rule: string, message: string): UnreadableFile =>
  new UnreadableFile(aboutFile(line, rule, message));

/** What ends the pass of a reader is its last finding. */
export async function untilUnreadable(sink: RowSink, reading: Promise<unknown>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    sink.finding(error.finding);
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'cannot be read: its permissions do not allow it',
};

/** Why a file cannot be opened: the end of a sentence that begins with its path. */
export const whyUnreadable = ({ code = 'unknown' }: NodeJS.ErrnoException): string =>
  WHY[code] ?? `cannot be read (${code})`;
