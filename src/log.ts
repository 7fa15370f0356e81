import type { Logger, LogLevel } from '@temporalio/common';
import { type DestinationStream, destination, type LevelWithSilent, type Logger as PinoLogger, pino } from 'pino';

export type Log = PinoLogger;

/**
 * The fields that a line may have, and no others: what is not named here is left out, whatever it is called and however deep
 * it lies. None of them tells who is paid, by what account, or a credential.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  // Ours.
  ...[
    'pid',
    'id',
    'batchId',
    'reference',
    'paymentId',
    'receiptId',
    'caller',
    'kind',
    'reason',
    'why',
    'decision',
    'part',
    'outcome',
    'code',
    'rows',
    'count',
  ],
  ...['method', 'route', 'status', 'ms', 'offsetMs', 'unsaidBefore'],
  // Of the Temporal SDK.
  ...['sdkComponent', 'namespace', 'taskQueue', 'workflowId', 'workflowType', 'runId', 'activityId', 'activityType'],
  ...['attempt', 'isLocal', 'durationMs', 'state'],
]);
const ERRORS: ReadonlySet<string> = new Set(['error', 'err']);
const TEXT_MAX = 500;

/** Causes of causes. */
const CAUSES_MAX = 5;

/** A log on stderr, one JSON object a line: stdout belongs to results. */
export function createLog(
  level: LevelWithSilent,
  stream: DestinationStream = destination({ dest: 2, sync: true }),
): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      formatters: { log: allowed, bindings: allowed },
      serializers: { err: asItIs },
    },
    { write: (line) => stream.write(escaped(line)) },
  );
}

/** In place of pino's own, which takes what an error was made into for an error once more. */
const asItIs = (shown: unknown): unknown => shown;

/** `hidden`: how many fields were left out. */
function allowed(fields: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  let hidden = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (ERRORS.has(name)) shown[name] = shownError(value);
    else if (ALLOWED.has(name) && isScalar(value)) shown[name] = shownText(value);
    else if (value !== undefined) hidden += 1;
  }
  return hidden === 0 ? shown : { ...shown, hidden };
}

/** Class, code, words and stack; details, requests and whatever else hangs on it stay out. */
function shownError(thrown: unknown, causes = 0): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown && isScalar(thrown.code) ? { code: shownText(thrown.code) } : {};
  const because = cause === undefined || causes === CAUSES_MAX ? {} : { cause: shownError(cause, causes + 1) };
  return { type: name, ...code, message: shownText(message), stack: placesOf(stack), ...because };
}

/** Where it was thrown, without the words before. */
const placesOf = (stack = ''): string =>
  stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const shownText = <Value>(value: Value): Value | string =>
  typeof value === 'string' && value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}...` : value;

/** JSON escapes CR, LF and what else stands below U+0020; a terminal obeys more, and some readers end lines elsewhere. */
const escaped = (line: string): string =>
  line.replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** C1 controls, line and paragraph separators, and characters that turn the direction of text. */
const UNPRINTABLE = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The log as Temporal's logger, for `Runtime.install`. */
export function temporalLogger(log: Log): Logger {
  const write = (level: LogLevel, message: string, meta: object = {}) => log[LEVELS[level]](meta, message);
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
