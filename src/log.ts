import type { Logger, LogLevel } from '@temporalio/common';
import {
  type DestinationStream,
  destination,
  type LevelWithSilent,
  type Logger as PinoLogger,
  pino,
  stdSerializers,
} from 'pino';

export type Log = PinoLogger;

/** Members that never reach a log line, at the top or one level down: credentials, and fields that tell who is paid. */
const REDACTED = [
  'authorization',
  'api_key',
  'api_secret',
  'apiKey',
  'apiSecret',
  'access_token',
  'token',
  'secret',
  'account_no',
  'account_name',
  'iban_no',
  'first_name',
  'last_name',
  'mobile',
  'address_address1',
  'address_address2',
  'address_postcode',
  'items',
  'instruction',
  'beneficiary',
  'note',
];

/** A log on stderr, one JSON object a line: stdout belongs to results. */
export function createLog(
  level: LevelWithSilent,
  stream: DestinationStream = destination({ dest: 2, sync: true }),
): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
    },
    stream,
  );
}

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
