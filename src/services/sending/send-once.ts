import type { SendOptions } from '../../api/call-options.ts';
import { BankError } from '../../api/errors.ts';
import { bankSays } from '../../domain/bank-condition.ts';
import { type Claim, Superseded, WrongWorld } from '../../domain/claim.ts';
import type { SentCardRequest, SentOrder } from '../../domain/sent-order.ts';
import type { AttemptResult } from '../../domain/submission.ts';
import type { Store } from '../../store/store.ts';
import { raiseFence } from './fence.ts';

/** What a send works with. */
export interface Sender {
  store: Store;
  now: () => number;
  /** Throws a `WrongWorld` when the store, the bank or the namespace is not the one this worker was started with. */
  assertIdentity(): Promise<void>;
}

/** Who sends, as Temporal knows it. */
export interface Caller {
  workflowId: string;
  runId: string;
  activityId: string;
}

/** What is to be sent, once it is known that it may be: under which key it is recorded, and what is kept of it. */
export interface Admitted<Request> {
  reference: string;
  /** From 1: with the reference the key of the record. */
  attempt: number;
  request: Request;
  record?: SentOrder | SentCardRequest;
  /** From when on lists show what it makes (epoch ms of the bank's clock, as it is now). */
  listedFrom?: number;
  /** Whose claim must hold when the attempt is recorded; absent where the key itself is the lock. */
  claim?: Claim;
  /** It is never sent again once the bank has accepted it, or has said that it exists. */
  isFinal?: boolean;
  /** Written beside the record, and like it before the first byte: who looks for what may come of it. */
  expect?(): Promise<void>;
}

interface Sending<Request, Held> {
  /** Compares what is asked with what is stored. Nothing is recorded before it has agreed. */
  admit(): Promise<Admitted<Request> | { held: Held }>;
  /** The last question, asked between the record and the first byte: what keeps it from being sent. */
  stoppedBy(request: Request): Promise<Held | undefined>;
  /** A refusal by HTTP status alone counts (cards); its status is then the code. */
  refusedByStatus?: boolean;
  /** One POST; the id of what it made, where the bank gives one. */
  post(request: Request, options: SendOptions): Promise<string | undefined>;
  /** Written beside what came of an attempt that the bank has accepted. */
  accepted?(request: Request, id: string): Promise<void>;
}

/**
 * The send protocol of everything that moves money or creates something: one attempt, one POST at most. Identity, then what is
 * asked against what is stored, then the record of (reference, attempt), then what may stop it, then the first byte behind the
 * fence, then the record of what came of it. A conflict of records means another sender: nothing is sent, and nobody knows what
 * the other one did. Every end is a return value, but for a claim that was lost.
 *
 * @throws Superseded when the run does not hold the claim any more; no byte has left
 */
export async function sendOnce<Request, Held>(
  { store, now, assertIdentity }: Sender,
  { runId, activityId }: Caller,
  { admit, stoppedBy, refusedByStatus = false, post, accepted }: Sending<Request, Held>,
): Promise<AttemptResult | Held> {
  const beforeFirstByte = raiseFence();
  let admitted: Admitted<Request>;
  let recorded: Admitted<Request> | undefined;
  try {
    await assertIdentity();
    const answer = await admit();
    if ('held' in answer) return answer.held;
    admitted = answer;
    const { reference, attempt, record: request, listedFrom, claim, isFinal, expect } = admitted;
    const record = { reference, attempt, runId, activityId, sentAt: now(), listedFrom, request, claim, isFinal };
    // Begun together, so that they share a commit; it may fail before the record is known to be there.
    const expected = expect?.();
    expected?.catch(() => undefined);
    const begun = await store.recordAttempt(record);
    if (begun === 'superseded') throw new Superseded();
    // A sender that stood still may have recorded what it was told after the run that asks now has read the store.
    if (begun === 'told') return { outcome: 'exists' };
    if (begun !== 'begun') return { outcome: 'ambiguous', why: GAVE_WAY[begun.because], gaveWayTo: begun.to };
    recorded = admitted;
    await expected;
    const held = await stoppedBy(admitted.request);
    if (held !== undefined) {
      await store.finishAttempt(reference, attempt, { outcome: 'not-sent' });
      return held;
    }
  } catch (error) {
    if (error instanceof Superseded) throw error;
    // Store, bank or Temporal out of reach: no byte has left. A record that does not say so would be in doubt.
    if (recorded !== undefined) {
      const { reference, attempt } = recorded;
      await store.finishAttempt(reference, attempt, { outcome: 'not-sent' }).catch(() => undefined);
    }
    return { outcome: 'not-sent', why: error instanceof WrongWorld ? 'wrong-store' : 'unreachable' };
  }
  const result = await outcomeOf(() => post(admitted.request, { beforeFirstByte }), refusedByStatus);
  const { reference, attempt, request } = admitted;
  const finished = store.finishAttempt(reference, attempt, {
    outcome: result.outcome,
    orderId: result.outcome === 'accepted' && result.orderId !== '' ? result.orderId : undefined,
    code: result.outcome === 'refused' ? result.code : undefined,
  });
  await Promise.all([finished, result.outcome === 'accepted' && accepted?.(request, result.orderId)]);
  return result;
}

const GAVE_WAY = { taken: 'another sender used this attempt', live: 'another sender is at work' } as const;

/** The result of one POST in the protocol's classes. Anything that is not a known answer is ambiguous. */
async function outcomeOf(post: () => Promise<string | undefined>, refusedByStatus: boolean): Promise<AttemptResult> {
  try {
    return { outcome: 'accepted', orderId: (await post()) ?? '' };
  } catch (error) {
    return resultOfError(error, refusedByStatus);
  }
}

/** What the error of a POST tells about its effect. */
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
      // A status alone may be the answer of what stands before the bank.
      if (refusedByStatus && httpStatus !== undefined) return { outcome, condition: 'unlisted', code: httpStatus };
      return { outcome: 'ambiguous', why: error.message };
    case 'exists':
      return { outcome };
    case 'ambiguous':
      return { outcome, why: condition === undefined ? error.name : bankSays(condition, code) };
  }
}
