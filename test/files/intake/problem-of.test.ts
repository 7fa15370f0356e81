import { mkdirSync } from 'node:fs';
import { NamespaceNotFoundError, ServiceError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { AuthenticationError, envelopeError, NotSentError, UnknownOutcomeError } from '../../../src/bank/errors.ts';
import { EXIT, exitOf } from '../../../src/cli/exit.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { problemOf } from '../../../src/files/intake/problem-of.ts';
import { ConfigError } from '../../../src/platform/config/key.ts';
import { StackError } from '../../../src/platform/embedded/home.ts';
import { TemporalUnreachableError } from '../../../src/platform/temporal/connection.ts';
import { NamespaceTakenError } from '../../../src/platform/temporal/namespace.ts';
import { StoreIdentityError } from '../../../src/store/store-errors.ts';

const of = { outcome: 'not-sent', retryable: false, operation: 'GET /v1/banking/accounts' } as const;
const stack = (problem: ConstructorParameters<typeof StackError>[0]) => new StackError(problem, 'why', 'what to do');

/** As Temporal's client throws what a server answers, by its gRPC status. */
const refusedBy = (code: number, details = '') =>
  new ServiceError('failed', { cause: Object.assign(new Error(details), { code, details, metadata: {} }) });

/** As the connection of a worker throws it. */
const bareRefusal = (code: number, words = '') =>
  Object.assign(new Error(words), { name: 'ServiceError', code, details: '', metadata: {} });

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const TASK_FAILS = 'workflow-task-fails';

describe('every error has one exit code and one code', () => {
  it.each([
    [new ConfigError('PAYOUTS_HOME', 'is no folder', 'Set it.'), EXIT.usage, 'configuration'],
    [new StoreIdentityError('bank', 'sandbox', 'https://bank.example'), EXIT.usage, 'wrong-store'],
    [new NamespaceTakenError('pay', { holder: 'a', storeId: 'b' }), EXIT.usage, 'namespace-taken'],
    [stack('down'), EXIT.usage, 'stack-down'],
    [stack('already-up'), EXIT.usage, 'stack-already-up'],
    [stack('boot-failed'), EXIT.unreachable, 'stack-boot-failed'],
    [new AuthenticationError('refused', of), EXIT.authentication, 'authentication-refused'],
    [new NotSentError('no connection', of), EXIT.unreachable, 'bank-unreachable'],
    [new UnknownOutcomeError('reset', { ...of, outcome: 'ambiguous' }), EXIT.unreachable, 'bank-unreachable'],
    [envelopeError(2009, { operation: of.operation }), EXIT.exceptions, 'bank-refused'],
    [new TemporalUnreachableError('127.0.0.1:1', new Error('refused')), EXIT.unreachable, 'temporal-unreachable'],
    [new ServiceError('unavailable'), EXIT.unreachable, 'temporal-unreachable'],
    [refusedBy(14), EXIT.unreachable, 'temporal-unreachable'],
    [refusedBy(3, 'no mapping defined for search attribute PayoutUid'), EXIT.usage, 'search-attributes-missing'],
    [refusedBy(3, 'search attribute PayoutUid is not defined'), EXIT.unreachable, 'temporal-unreachable'],
    [refusedBy(9, 'Unable to query workflow due to Workflow Task in failed state.'), EXIT.unreachable, TASK_FAILS],
    [
      refusedBy(9, 'Unable to perform workflow execution update due to unexpected workflow task failure.'),
      EXIT.unreachable,
      TASK_FAILS,
    ],
    [new WorkflowUpdateRPCTimeoutOrCancelledError('Deadline exceeded'), EXIT.unreachable, 'no-worker'],
    [refusedBy(14).cause, EXIT.unreachable, 'temporal-unreachable'],
    [refusedBy(7), EXIT.usage, 'temporal-refused'],
    [refusedBy(16), EXIT.usage, 'temporal-refused'],
    [bareRefusal(14, 'tcp connect error'), EXIT.unreachable, 'temporal-unreachable'],
    [bareRefusal(7), EXIT.usage, 'temporal-refused'],
    [new ServiceError('failed', { cause: bareRefusal(16) }), EXIT.usage, 'temporal-refused'],
    [bareRefusal(3, 'no mapping for search attribute PayoutUid'), EXIT.usage, 'search-attributes-missing'],
    [
      new ServiceError('failed', { cause: bareRefusal(9, 'unexpected workflow task failure') }),
      EXIT.unreachable,
      TASK_FAILS,
    ],
    [new WorkflowUpdateRPCTimeoutOrCancelledError('Deadline exceeded'), EXIT.unreachable, 'no-worker'],
    [new NamespaceNotFoundError('pay'), EXIT.usage, 'namespace-missing'],
    [thrownBy(() => mkdirSync('/dev/null/home', { recursive: true })), EXIT.usage, 'file-system'],
    [new TypeError('a bug'), EXIT.internal, 'internal'],
    ['a thrown text', EXIT.internal, 'internal'],
  ])('%s', (error, exit, code) => {
    const reported = problemOf(error);
    expect(reported).toMatchObject({ code });
    expect(exitOf(reported)).toBe(exit);
    expect(reported.message).not.toBe('');
  });

  it('and an end of a command stays what it is', () => {
    const error = new Problem('already-taken', 'already-taken', 'taken', { batchId: 'b', hint: '' });
    expect(problemOf(error)).toBe(error);
  });

  it('and what went wrong first is kept as the cause', () => {
    const bug = new TypeError('a bug');
    expect(problemOf(bug).cause).toBe(bug);
  });
});

describe('the error document', () => {
  it('names the batch only where there is one', () => {
    const plain = new Problem('usage', 'usage', 'wrong', { hint: 'do it right' });
    expect(plain.toDocument()).toEqual({
      schemaVersion: 1,
      error: { code: 'usage', message: 'wrong', hint: 'do it right' },
      findings: [],
    });
    const taken = new Problem('already-taken', 'already-taken', 'taken', { batchId: 'b', hint: '' });
    expect(taken.toDocument()).toMatchObject({ error: { batchId: 'b', hint: '' } });
  });
});
