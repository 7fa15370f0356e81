import type { BankCondition } from './bank-condition.ts';
import type { ReferenceDedupe } from './policy.ts';
import type { ReasonCode } from './reasons.ts';
import type { SentOrder } from './sent-order.ts';
import type { SwitchScope } from './switch-scope.ts';

/**
 * The decision core of a POST that moves money: what an attempt told us, and what all attempts together allow
 * (when a missing order is proven missing: `absence.ts`). Pure: workflows and simulations run the same code. One reference for
 * life, one POST per attempt, and an unknown outcome is never a failure.
 *
 * | what is known of it | who says so | what follows |
 * |---|---|---|
 * | `doubted`, `tainted` | the run: these attempts have an unknown outcome; any at all | looks come before any other send |
 * | `lastLeft` | run or store: the last attempt that may have left | a further send repeats it, with its bytes |
 * | `unsent` | senders, in the store: nothing left | explains a doubt, and ends it |
 * | `exists` | the bank: it has the reference | never sent again |
 * | `resends` | the run: attempts that repeated an earlier one | how often the bank's word is enough |
 */

/** What one attempt told us. `code` is the bank's own, where it has one, for people alone. */
export type AttemptResult =
  | { outcome: 'accepted'; orderId: string }
  | {
      outcome: 'not-sent';
      why: 'unreachable' | 'authentication' | 'wrong-store' | 'token-suspect' | 'changed';
    }
  /** Nothing was sent: a switch was off right before the first byte. */
  | { outcome: 'not-sent'; why: 'switched-off'; scope: SwitchScope }
  | { outcome: 'refused'; condition: BankCondition; code?: number }
  | { outcome: 'exists' }
  /** In doubt is this attempt or, where it gave way to another sender's before anything was recorded or sent, that one. */
  | { outcome: 'ambiguous'; why: string; gaveWayTo?: number };

/**
 * From its start a sender waits at most 5 s for its first byte, and its POST ends within 30 s: an attempt without an outcome that is
 * older than this belongs to no sender any more. The time limit of the sending activity, never scaled.
 */
export const SENDER_LIFE_MS = 45_000;

/** A refusal means what its condition says only when no earlier attempt may have been executed. */
export type RefusalMeaning =
  | { kind: 'fail'; reason: ReasonCode }
  | { kind: 'hold'; reason: ReasonCode }
  | { kind: 'await-funds' };

const INVALID = { kind: 'fail', reason: 'refused-by-bank' } as const;

/** What a clean refusal asks for: what can be mended at the bank never fails a row. */
const REFUSALS: Readonly<Record<BankCondition, RefusalMeaning>> = {
  'internal-error': INVALID,
  'bad-request': INVALID,
  'already-exists': INVALID,
  'beneficiary-not-found': { kind: 'hold', reason: 'beneficiary-not-found' },
  'order-not-found': INVALID,
  'account-not-found': { kind: 'hold', reason: 'account-not-found' },
  'account-frozen': { kind: 'hold', reason: 'account-frozen' },
  'operation-failed': INVALID,
  unsupported: { kind: 'fail', reason: 'unsupported' },
  'insufficient-funds': { kind: 'await-funds' },
  'in-progress': INVALID,
  unlisted: INVALID,
};

export const refusalMeaning = (condition: BankCondition): RefusalMeaning => REFUSALS[condition];

interface RecordedAttempt {
  attempt: number;
  outcome: AttemptResult['outcome'] | null;
  /** Set once it is known what became of it. */
  settled: string | null;
}

/** Attempts that may have been executed: accepted, exists, ambiguous, or without a recorded outcome. */
const executable = <Attempt extends Pick<RecordedAttempt, 'outcome'>>(attempts: readonly Attempt[]): Attempt[] =>
  attempts.filter(({ outcome }) => outcome !== 'not-sent' && outcome !== 'refused');

/** The numbers of those that are recorded to have moved nothing. */
export const unsent = (attempts: readonly RecordedAttempt[]): number[] =>
  attempts.filter(({ outcome }) => outcome === 'not-sent' || outcome === 'refused').map(({ attempt }) => attempt);

/** Attempts that may have been executed and are not settled. */
export function inDoubt<Attempt extends RecordedAttempt>(attempts: readonly Attempt[]): Attempt[] {
  return executable(attempts).filter(({ settled }) => settled === null);
}

/**
 * What the recorded attempts of a reference allow. An attempt that may have been executed taints: an accepted one too, for who
 * reads this does not follow its order yet.
 */
export function submissionOf(attempts: readonly RecordedAttempt[]): Submission {
  const uncertain = inDoubt(attempts);
  return {
    ...FRESH,
    attempts: Math.max(0, ...attempts.map(({ attempt }) => attempt)),
    tainted: uncertain.length > 0,
    lastLeft: Math.max(0, ...executable(attempts).map(({ attempt }) => attempt)),
    doubted: uncertain.map(({ attempt }) => attempt),
    unsent: unsent(attempts),
    resends: Math.max(0, uncertain.length - 1),
    exists: attempts.some(({ outcome }) => outcome === 'exists'),
  };
}

/**
 * What a run knows once it has read the store again. A store that does not reach to the last attempt that may have left, or shows
 * none that could be the order which the run has followed (`hasOrder`) or still looked for, has forgotten: an older copy was put in
 * its place. Everything is in doubt then. An attempt that has moved nothing may be missing: its sender had not come to the record.
 */
export function remembered(known: Submission, stored: Submission, hasOrder: boolean): Submission {
  const isUnseen = stored.lastLeft === 0 && (hasOrder || (known.tainted && !isExplained(known, stored)));
  const attempts = Math.max(known.attempts, stored.attempts);
  if (lastLeftOf(known) <= stored.attempts && !isUnseen) return { ...stored, attempts };
  // All that this run knows of came to nothing: a resend that it has allowed for that, and not made, is still to come.
  const before = known.tainted || hasOrder ? known : movedNothing(known);
  return { ...withUnknownAttempts(before), attempts, exists: known.exists || stored.exists };
}

/** Stands among the numbers of doubted attempts for what a store has forgotten: no record explains it. */
const FORGOTTEN = 0;

/** What may have been sent is more than the store shows. */
export const withUnknownAttempts = (known: Submission): Submission => inDoubtOf(known, FORGOTTEN);

const inDoubtOf = (known: Submission, attempt: number): Submission => ({
  ...known,
  tainted: true,
  doubted: [...new Set([...(known.doubted ?? []), attempt])],
});

/** Whether senders have recorded of all that the run doubts that nothing left. */
function isExplained({ doubted, ...known }: Submission, { unsent }: Submission): boolean {
  // Histories of an earlier release.
  if (doubted === undefined || unsent === undefined) return lastLeftOf(known) > 0;
  return doubted.length > 0 && doubted.every((attempt) => unsent.includes(attempt));
}

/**
 * The order whose bytes every further attempt repeats: the last one that may have been executed, for the rest of the
 * payout's life. While all attempts were cleanly refused or never left, the next one may differ. Attempts of one
 * reference, oldest first; the reference says which kind of order it is.
 */
export function orderInForce<Order extends SentOrder>(
  attempts: readonly (Pick<RecordedAttempt, 'outcome'> & { request: SentOrder | null })[],
): Order | undefined {
  return (executable(attempts).at(-1)?.request as Order | null | undefined) ?? undefined;
}

/** What is known about one reference over all its attempts. */
export interface Submission {
  /** Attempts made; the next one is `attempts + 1`. */
  attempts: number;
  /** An attempt may have been executed and no negative proof has been given since. */
  tainted: boolean;
  /** Number of the last attempt that may have left, which a send would repeat; 0: none. Absent in a history of an earlier release. */
  lastLeft?: number;
  /** Numbers of the attempts that the run has seen to be in doubt since the last proof. */
  doubted?: readonly number[];
  /** Numbers of the attempts that the store shows to have moved nothing. */
  unsent?: readonly number[];
  /** Resends so far. */
  resends: number;
  /** The bank said that it has the reference: then it is never sent again. */
  exists: boolean;
  /** How often a bad request was read as "token expired" and sent again. */
  tokenExcuses?: number;
}

export const FRESH: Submission = { attempts: 0, tainted: false, lastLeft: 0, resends: 0, exists: false };

/** Of a reference without an attempt, in a store that has forgotten nothing. */
export const NEVER_SENT: Submission = submissionOf([]);

/** Of a release that has not counted it: every attempt. */
export const lastLeftOf = ({ attempts, lastLeft = attempts }: Submission): number => lastLeft;

/** Some attempt may have been executed: not one that was cleanly refused, or that never left. */
export const mayHaveLeft = (known = NEVER_SENT): boolean => known.tainted || lastLeftOf(known) > 0;

type NextStep =
  | { step: 'adopt'; orderId: string }
  | { step: 'send-again'; after: 'reachable' | 'now' }
  | { step: 'resolve' }
  | { step: 'switched-off'; scope: SwitchScope }
  | { step: 'refused'; meaning: RefusalMeaning };

/** A bank that lets tokens die early may do so several times in a row; a request that is wrong stays wrong. */
export const TOKEN_EXCUSES_MAX = 3;

/** Folds one attempt's result into what is known and says what follows. */
export function afterAttempt(known: Submission, result: AttemptResult): { known: Submission; next: NextStep } {
  const counted = { ...known, attempts: known.attempts + 1 };
  switch (result.outcome) {
    case 'accepted':
      return { known: { ...counted, lastLeft: counted.attempts }, next: { step: 'adopt', orderId: result.orderId } };
    case 'not-sent': {
      if (known.tainted) return { known: movedNothing(counted), next: { step: 'resolve' } };
      if (result.why === 'switched-off') return { known: counted, next: { step: 'switched-off', scope: result.scope } };
      if (result.why !== 'token-suspect') return { known: counted, next: { step: 'send-again', after: 'reachable' } };
      // A bad request with a dying token may mean "token expired" (no auth code exists).
      const tokenExcuses = (known.tokenExcuses ?? 0) + 1;
      return tokenExcuses > TOKEN_EXCUSES_MAX
        ? { known: counted, next: { step: 'refused', meaning: refusalMeaning('bad-request') } }
        : { known: { ...counted, tokenExcuses }, next: { step: 'send-again', after: 'now' } };
    }
    case 'refused':
      return known.tainted
        ? { known: movedNothing(counted), next: { step: 'resolve' } }
        : { known: counted, next: { step: 'refused', meaning: refusalMeaning(result.condition) } };
    case 'exists':
      return {
        known: { ...leftInDoubt(counted, counted.attempts), exists: true },
        next: { step: 'resolve' },
      };
    case 'ambiguous':
      return { known: inDoubtBy(known, counted, result.gaveWayTo), next: { step: 'resolve' } };
  }
}

/** An attempt that gave way is none: it counts as the other sender's where that one was not counted before, and else as nothing. */
function inDoubtBy(known: Submission, counted: Submission, gaveWayTo = counted.attempts): Submission {
  return gaveWayTo > known.attempts
    ? leftInDoubt({ ...counted, attempts: gaveWayTo }, gaveWayTo)
    : movedNothing(leftInDoubt(known, gaveWayTo));
}

const leftInDoubt = (known: Submission, attempt: number): Submission => ({
  ...inDoubtOf(known, attempt),
  lastLeft: Math.max(lastLeftOf(known), attempt),
});

/** An earlier attempt may have been executed, and only a look can tell; this one has repeated nothing, and counts as no resend. */
const movedNothing = (counted: Submission): Submission => ({ ...counted, resends: Math.max(0, counted.resends - 1) });

/** Resends allowed with `verified` dedupe. */
const RESENDS_VERIFIED_MAX = 5;

/** What the looks since the last attempt have shown. */
export interface Looked {
  absent: boolean;
  /** Looks that could prove something and found nothing. */
  stableLooks: number;
  /** The window in which the bank may still commit is over. */
  isWindowOver: boolean;
}

/**
 * Whether the same bytes may be sent again under the same reference. On a verified bank's word alone only while the window is
 * open: after it the proof is one look away, and what the bank then answers is about this attempt.
 */
export function mayResend(dedupe: ReferenceDedupe, known: Submission, looked: Looked): boolean {
  const { absent, stableLooks, isWindowOver } = looked;
  if (known.exists) return false;
  switch (dedupe) {
    case 'verified':
      return (absent || (stableLooks > 0 && !isWindowOver)) && known.resends < RESENDS_VERIFIED_MAX;
    case 'assumed':
      return absent && known.resends === 0;
    case 'none':
      return false;
  }
}

/** After a negative proof the submission is clean again; the next attempt counts as a resend. */
export function cleared(known: Submission): Submission {
  return { ...known, tainted: false, doubted: [], resends: known.resends + 1 };
}

/**
 * Sent again on the bank's word alone (dedupe `verified`): the outcome stays in doubt, and a refusal of the resend is no
 * refusal, for it may be about the first attempt's own order.
 */
export function resent(known: Submission): Submission {
  return { ...known, resends: known.resends + 1 };
}
