import type { SendOptions } from '../../bank/call-options.ts';
import { BankError } from '../../bank/errors.ts';
import { bankSays } from '../../domain/bank-condition.ts';
import { type Claim, StoreMismatch, Superseded } from '../../domain/claim.ts';
import type { SentCardRequest, SentOrder } from '../../domain/sent-order.ts';
import type { AttemptResult } from '../../domain/submission.ts';
import type { Caller, Sender } from '../../store/claimed-row.ts';

/** An admitted request: the key it is recorded under, and what is kept of it. */
export interface Admitted<Request> {
  reference: string;
  /** From 1; with the reference, the key of the record. */
  attempt: number;
  request: Request;
  record?: SentOrder | SentCardRequest;
  /** From when on lists show the result (epoch ms of the bank's clock as now measured). */
  listedFrom?: number;
  /** Claim that must hold when the attempt is recorded; absent if the key itself is the lock. */
  claim?: Claim;
  /** Never send again after the bank accepted it or said that it exists. */
  isFinal?: boolean;
  /** Written alongside the record, before the first byte: registers who looks for the result. */
  expect?(): Promise<void>;
}

interface Sending<Request, Held> {
  /** Checks the request against the store. Nothing is recorded before it agrees. */
  admit(): Promise<Admitted<Request> | { held: Held }>;
  /** Last check, between the record and the first byte; a result stops the send. */
  stoppedBy(request: Request): Promise<Held | undefined>;
  /** Treat an HTTP status alone as a refusal, with the status as its code (cards). */
  refusedByStatus?: boolean;
  /** Makes one POST; returns the id of what was created, if the bank gives one. */
  post(request: Request, options: SendOptions): Promise<string | undefined>;
  /** Written alongside the outcome of an accepted attempt. */
  accepted?(request: Request, id: string): Promise<void>;
}

/**
 * Send protocol for everything that moves money or creates something: one attempt, at most one POST. In order: identity; request
 * against store; record of (reference, attempt); last check; first byte within its deadline; record of the outcome. A record
 * conflict means another sender: nothing is sent, and that sender's outcome is unknown. Every outcome is returned except a lost
 * claim.
 *
 * @throws Superseded if the run no longer holds the claim; no byte has left
 */
export async function sendOnce<Request, Held>(
  { store, now, assertIdentity }: Sender,
  { runId, activityId }: Caller,
  { admit, stoppedBy, refusedByStatus = false, post, accepted }: Sending<Request, Held>,
): Promise<AttemptResult | Held> {
  const beforeFirstByte = firstByteDeadline();
  let admitted: Admitted<Request>;
  let recorded: Admitted<Request> | undefined;
  try {
    await assertIdentity();
    const answer = await admit();
    if ('held' in answer) return answer.held;
    admitted = answer;
    const { reference, attempt, record: request, listedFrom, claim, isFinal, expect } = admitted;
    const record = { reference, attempt, runId, activityId, sentAt: now(), listedFrom, request, claim, isFinal };
    // Started together so that they share a commit; handled here because it may fail before the record is known to be stored.
    const expected = expect?.();
    expected?.catch(() => undefined);
    const begun = await store.recordAttempt(record);
    if (begun === 'superseded') throw new Superseded();
    // A stalled sender may have recorded the bank's answer after the current run read the store.
    if (begun === 'told') return { outcome: 'exists' };
    if (begun !== 'begun') return { outcome: 'ambiguous', why: GAVE_WAY[begun.because], gaveWayTo: begun.to };
    recorded = admitted;
    await expected;
    const held = await stoppedBy(admitted.request);
    if (held !== undefined) {
      await store.finishAttempt(reference, attempt, { outcome: 'not-sent', at: now() });
      return held;
    }
  } catch (error) {
    const result = nothingSent(error);
    // Store, bank or Temporal was unreachable and no byte has left; record that, or the attempt would be in doubt.
    if (recorded !== undefined) {
      const { reference, attempt } = recorded;
      await store.finishAttempt(reference, attempt, { outcome: 'not-sent', at: now() }).catch(() => undefined);
    }
    return result;
  }
  const result = await outcomeOf(() => post(admitted.request, { beforeFirstByte }), refusedByStatus);
  const { reference, attempt, request } = admitted;
  const finished = store.finishAttempt(reference, attempt, {
    outcome: result.outcome,
    at: now(),
    orderId: result.outcome === 'accepted' && result.orderId !== '' ? result.orderId : undefined,
    code: result.outcome === 'refused' ? result.code : undefined,
  });
  await Promise.all([finished, result.outcome === 'accepted' && accepted?.(request, result.orderId)]);
  return result;
}

/** What an error before the first byte means; a lost claim is thrown. */
export function nothingSent(error: unknown): Extract<AttemptResult, { outcome: 'not-sent' }> {
  if (error instanceof Superseded) throw error;
  return { outcome: 'not-sent', why: error instanceof StoreMismatch ? 'wrong-store' : 'unreachable' };
}

/** A sender paused for longer than this before its first byte sends nothing: the workflow may have moved on. */
const FIRST_BYTE_WITHIN_MS = 5_000;

/**
 * The check to make right before the first byte; it throws once it is too late. Uses both clocks: the monotonic one may stop
 * while the machine is suspended, the wall clock may be set.
 */
function firstByteDeadline(): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > FIRST_BYTE_WITHIN_MS) {
      throw new Error('the sender was paused before its first byte');
    }
  };
}

const GAVE_WAY = { taken: 'another sender used this attempt', live: 'another sender is at work' } as const;

/** Result of one POST; anything but a known answer is ambiguous. */
async function outcomeOf(post: () => Promise<string | undefined>, refusedByStatus: boolean): Promise<AttemptResult> {
  try {
    return { outcome: 'accepted', orderId: (await post()) ?? '' };
  } catch (error) {
    return resultOfError(error, refusedByStatus);
  }
}

function resultOfError(error: unknown, refusedByStatus: boolean): AttemptResult {
  if (!(error instanceof BankError)) return { outcome: 'ambiguous', why: 'the sender failed' };
  const { outcome, tokenSuspect, condition, code, httpStatus } = error;
  switch (outcome) {
    case 'not-sent':
      return { outcome, why: error.name === 'AuthenticationError' ? 'authentication' : 'unreachable' };
    case 'refused':
      if (tokenSuspect) return { outcome: 'not-sent', why: 'token-suspect' };
      if (condition !== undefined && (condition !== 'unlisted' || code !== undefined)) {
        return { outcome, condition, code };
      }
      // A bare status may come from something in front of the bank.
      if (refusedByStatus && httpStatus !== undefined) return { outcome, condition: 'unlisted', code: httpStatus };
      return { outcome: 'ambiguous', why: error.message };
    case 'exists':
      return { outcome };
    case 'ambiguous':
      return { outcome, why: condition === undefined ? error.name : bankSays(condition, code) };
  }
}
