import type { FastifyError } from 'fastify';
import { EXIT, type ExitCode } from '../cli/exit.ts';
import { toCommandError } from '../cli/to-command-error.ts';
import { errorDocument } from '../intake/error-document.ts';
import { GatewayError } from './gateway-error.ts';

/** What a request is answered with. */
export interface Answer {
  status: number;
  document: object;
}

/** The exit codes of the command as HTTP statuses: the same error has the same document through every door. */
const STATUS_OF_EXIT: Readonly<Record<ExitCode, number>> = {
  [EXIT.completed]: 200,
  [EXIT.internal]: 500,
  [EXIT.usage]: 400,
  [EXIT.invalidInput]: 422,
  [EXIT.authentication]: 503,
  [EXIT.exceptions]: 502,
  [EXIT.stillOpen]: 500,
  [EXIT.unreachable]: 503,
  [EXIT.alreadyTaken]: 409,
  [EXIT.interrupted]: 503,
};

/** Usage errors of the command that are not the caller's here. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  'unknown-id': 404,
  configuration: 500,
  'context-file': 500,
  'wrong-store': 500,
  'namespace-taken': 500,
};

/** Every error as an answer. An internal one keeps its words for the log: they may say more than a caller may know. */
export function answerOf(error: unknown): Answer & { headers?: Readonly<Record<string, string>> } {
  if (error instanceof GatewayError) {
    const { status, headers, code, message, hint } = error;
    return { status, headers, document: errorDocument({ code, message, hint }) };
  }
  if (isRefusedByServer(error)) {
    const { statusCode } = error;
    return {
      status: statusCode,
      document: errorDocument({ code: CODE_OF_STATUS[statusCode] ?? 'bad-request', message: HTTP_SAYS, hint: '' }),
    };
  }
  const ended = toCommandError(error);
  const status = STATUS_OF_CODE[ended.code] ?? STATUS_OF_EXIT[ended.exit];
  if (status !== 500) return { status, document: ended.toDocument() };
  const message = 'Something went wrong inside; the log of the gateway says what.';
  return {
    status,
    document: errorDocument({ code: ended.code, message, hint: 'The same request can be sent again.' }),
  };
}

const HTTP_SAYS = 'The server cannot take this request.';

const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  404: 'no-such-route',
  413: 'too-large',
  414: 'address-too-long',
  415: 'media-type-unsupported',
};

function isRefusedByServer(error: unknown): error is FastifyError & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
