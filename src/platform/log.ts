import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from 'pino';
import { labelled, widthOf } from '../domain/display.ts';
import { UNPRINTABLE, visible } from '../domain/finding.ts';
import { currentSpan } from './telemetry/current-span.ts';

/**
 * All fields that a log line may have; any other is left out, at any depth. None of them can contain a payee, an
 * account number or a credential.
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
  ...['method', 'route', 'status', 'ms', 'offsetMs', 'unsaidBefore', 'requestId'],
  // https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/
  ...['trace_id', 'span_id', 'trace_flags'],
  // Of the Temporal SDK.
  ...['sdkComponent', 'namespace', 'taskQueue', 'workflowId', 'workflowType', 'runId', 'activityId', 'activityType'],
  ...['attempt', 'isLocal', 'durationMs', 'state'],
]);
const ERRORS: ReadonlySet<string> = new Set(['error', 'err']);
const TEXT_MAX = 500;

const CAUSES_MAX = 5;

/** So that a line leads to the request and to the span during which it was logged. */
function ofSpan(): object {
  const span = currentSpan();
  if (span === undefined) return {};
  const { traceId, spanId, isSampled, requestId } = span;
  return {
    ...(requestId !== undefined && { requestId }),
    ...{ trace_id: traceId, span_id: spanId, trace_flags: isSampled ? '01' : '00' },
  };
}

/** Logs to stderr, since stdout is for results: one JSON object per line or, on a terminal, a line for people. */
export function createLog(level: LevelWithSilent, stream: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      mixin: ofSpan,
      formatters: { log: allowed, bindings: allowed },
      serializers: { err: asItIs },
    },
    { write: (line) => stream.write(escaped(line)) },
  );
}

function standardError(): DestinationStream {
  const stderr = destination({ dest: 2, sync: true });
  if (!process.stderr.isTTY) return stderr;
  return { write: (line) => stderr.write(`${CLEAR_LINE}${lineForPeople(line, widthOf(process.stderr))}\n`) };
}

/** Of what a command shows as its progress. */
const CLEAR_LINE = '\r\u001b[2K';

/** `06:09:12 warning: the bank shows orders ... (count 2)`; errors without their places in the code. `line`: of the log. */
export function lineForPeople(line: string, width: number): string {
  const { level, time, pid, msg, hidden, error, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const said = [msg, ...causesOf(error ?? err)].filter((text) => typeof text === 'string' && text !== '');
  const named = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
  const behind = named.length === 0 ? '' : ` (${named.join(', ')})`;
  const at = new Date(Number(time)).toISOString().slice('YYYY-MM-DDT'.length, -'.mmmZ'.length);
  const words = visible(`${levelName(Number(level))}${[...new Set(said)].join(': ')}${behind}`);
  return labelled(at, words, { labelWidth: at.length + 1, width }).join('\n');
}

/** As pino numbers them. */
const [WARNING, ERROR] = [40, 50];

function levelName(level: number): string {
  if (level < WARNING) return '';
  return level < ERROR ? 'warning: ' : 'error: ';
}

/** The words of an error and of its causes. */
function causesOf(shown: unknown): unknown[] {
  if (typeof shown !== 'object' || shown === null || !('message' in shown)) return [];
  return [shown.message, ...('cause' in shown ? causesOf(shown.cause) : [])];
}

/** Replaces pino's own serializer, which would take the result of ours for an error again. */
const asItIs = (shown: unknown): unknown => shown;

/** `hidden`: the number of fields left out. */
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

/** Only class, code, message and stack; details, requests and other members are left out. */
function shownError(thrown: unknown, causes = 0): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown && isScalar(thrown.code) ? { code: shownText(thrown.code) } : {};
  const because = cause === undefined || causes === CAUSES_MAX ? {} : { cause: shownError(cause, causes + 1) };
  return { type: name, ...code, message: shownText(message), stack: placesOf(stack), ...because };
}

const placesOf = (stack = ''): string =>
  stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const shownText = <Value>(value: Value): Value | string =>
  typeof value === 'string' && value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}...` : value;

/**
 * JSON escapes only characters below U+0020; terminals obey others too, and some readers treat others as line ends. A line has
 * its own end alone.
 */
const escaped = (line: string): string =>
  line.replace(UNPRINTABLE, (char) => (char === '\n' ? char : char.split('').map(escapedUnit).join('')));

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
