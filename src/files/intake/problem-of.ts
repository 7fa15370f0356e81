import { AuthenticationError, BankError } from '../../bank/errors.ts';
import { causeInWords } from '../../domain/causes.ts';
import { CHECK_TEMPORAL, Problem } from '../../domain/problem.ts';

/** gRPC statuses for errors in our request: trying again is useless. */
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
/** The server's message for a query or update at which a worker fails. */
const TASK_FAILS = /workflow task (?:in failed state|failure)/i;

/**
 * An error of Temporal's client as a problem; undefined for other errors. Recognized by name, so that its package need not be
 * loaded for this.
 */
export function temporalProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'NamespaceNotFoundError') {
    const { namespace = '' } = error as { namespace?: string };
    return new Problem('set-up', 'namespace-missing', `Temporal has no namespace "${namespace}".`, {
      hint: `Name another one in TEMPORAL_NAMESPACE, or make it: temporal operator namespace create --namespace ${namespace} --retention 90d`,
      cause: error,
    });
  }
  if (error.name === 'WorkflowUpdateRPCTimeoutOrCancelledError') {
    return new Problem('unreachable', 'no-worker', 'No worker has answered in time.', {
      hint: 'See its status first: it may still be carried out. payouts doctor shows whether workers poll; with PAYOUTS_DEPLOYMENT it takes one of the build that it began under.',
      cause: error,
    });
  }
  const answer = answerOf(error);
  if (answer === undefined) return undefined;
  const { code, words } = answer;
  // "search attribute X is not defined" is what a server says that has just started and could not read them yet.
  if (code === INVALID_ARGUMENT && /no mapping.* search attribute/i.test(words)) {
    return new Problem('set-up', 'search-attributes-missing', 'The Temporal namespace lacks our search attributes.', {
      hint: 'A worker makes them when it starts, and goes on with what was handed over: payouts worker',
      cause: error,
    });
  }
  const reported = causeInWords(error, 'temporal');
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    const message = reported?.message ?? 'Temporal does not let us in.';
    return new Problem('set-up', 'temporal-refused', message, { hint: CHECK_TEMPORAL, ...reported, cause: error });
  }
  if (TASK_FAILS.test(words)) {
    return new Problem('unreachable', 'workflow-task-fails', 'The workflow does not answer: its workflow task fails.', {
      hint: 'The log of the worker says why; docs/operations.md, "A workflow whose task fails", what to do.',
      cause: error,
    });
  }
  return new Problem('unreachable', 'temporal-unreachable', reported?.message ?? 'Temporal does not answer.', {
    hint: reported?.hint ?? CHECK_TEMPORAL,
    cause: error,
  });
}

interface Answer {
  code?: number;
  words: string;
}

/**
 * The server's gRPC answer, bare or wrapped by the client. Over a worker's connection, the text is only in the message, and the
 * bare error has the name of the wrapped one.
 */
function answerOf(error: Error): Answer | undefined {
  const { code, details, metadata } = error as { code?: unknown; details?: string; metadata?: unknown };
  if (metadata !== undefined && typeof code === 'number') return { code, words: details || error.message };
  if (error.name !== 'ServiceError') return undefined;
  return (error.cause instanceof Error ? answerOf(error.cause) : undefined) ?? { words: '' };
}

/** Any error as a `Problem` for people, the same in every channel. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const cause = { cause: error };
  if (error instanceof BankError) return bankProblem(error);
  const known = temporalProblem(error) ?? fileProblem(error);
  if (known !== undefined) return known;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem('internal', 'internal', message, { hint: 'PAYOUTS_LOG_LEVEL=debug shows more.', ...cause });
}

function bankProblem(error: BankError): Problem {
  const cause = { cause: error };
  if (error.condition !== undefined) {
    const hint = 'The bank has answered: correct what the request names, such as a user, an account or a currency.';
    return new Problem('refused', 'bank-refused', error.message, { hint, ...cause });
  }
  if (error.tooLarge) {
    const hint = 'The bank has answered. Ask it why this answer is so large.';
    return new Problem('refused', 'bank-answer-too-large', `${error.message}.`, { hint, ...cause });
  }
  const reported = causeInWords(error, 'bank') ?? { message: `${error.message}.`, hint: 'Check PAYOUTS_API_URL.' };
  if (error instanceof AuthenticationError) {
    return new Problem('bank-authentication', 'authentication-refused', reported.message, { ...reported, ...cause });
  }
  const hint = `${reported.hint} Nothing is lost: run the same command again.`;
  return new Problem('unreachable', 'bank-unreachable', reported.message, { hint, ...cause });
}

/** Errors caused by a path, its owner or its disk, not by our code. https://nodejs.org/api/errors.html#common-system-errors */
const CODES: readonly unknown[] = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENAMETOOLONG', 'ELOOP', 'ENOSPC', 'EDQUOT'],
  ...['EMFILE', 'ENFILE', 'EIO', 'ESTALE', 'ENOTEMPTY', 'EXDEV'],
];

/** What SQLite says of its disk: full, read-only, failing. https://www.sqlite.org/rescode.html */
const DISK = [8, 10, 13, 14];

/** An error of the file system as a problem; undefined for other errors. */
function fileProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const ofDisk = 'errcode' in error && DISK.includes(Number(error.errcode) & 0xff);
  // What fails on an open file has no path; what fails on a socket has an address.
  const ofFile = CODES.includes(code) && syscall !== undefined && !('address' in error);
  if (!ofFile && !ofDisk) return undefined;
  const reported = causeInWords(error, 'files', path ?? (ofDisk ? 'The store' : ''));
  return new Problem('set-up', 'file-system', reported?.message ?? `${error.message}.`, {
    hint: `${reported?.hint ?? 'Check the path.'} The product's own files are in PAYOUTS_HOME.`,
    cause: error,
  });
}
