import type { OrderKind } from './names.ts';
import type { ReferenceDedupe } from './policy.ts';
import type { ReasonCode } from './reasons.ts';
import type { SentOrder } from './sent-order.ts';
import type { SwitchScope } from './switch-scope.ts';

/**
 * What a bank says about a call that it did not carry out. Only `src/bank` knows which code, word or status says so
 * (`CODE_RULES`); everything else decides by these conditions.
 */
export type BankCondition =
  | 'internal-error'
  | 'bad-request'
  | 'already-exists'
  | 'beneficiary-not-found'
  | 'order-not-found'
  | 'account-not-found'
  | 'account-frozen'
  | 'operation-failed'
  | 'unsupported'
  | 'insufficient-funds'
  | 'in-progress'
  /** A code that the bank's interface does not list. An HTTP status alone has no condition. */
  | 'unlisted';

/** What the bank said, in words for people: its own code if it has one. */
export const bankSays = (condition: BankCondition, code: number | undefined): string =>
  code === undefined ? condition : `code ${code}`;

/**
 * The decision core of a POST that moves money: what one attempt resulted in, and what all attempts together allow (when a
 * missing order is proven absent: `absence.ts`). Pure: workflows and simulations run the same code. A reference is for life, an
 * attempt is one POST, and an unknown outcome is never a failure.
 *
 * | what is known | who says so | what follows |
 * |---|---|---|
 * | `doubted`, `tainted` | the run: which attempts have an unknown outcome; whether any has | searches come before any other send |
 * | `lastLeft` | run or store: the last attempt that may have left | a further send repeats it, with its bytes |
 * | `unsent` | senders, in the store: nothing left | resolves a doubt about that attempt |
 * | `exists` | the bank: it has the reference | never sent again |
 * | `resends` | the run: attempts that repeated an earlier one | how often the bank's word still suffices |
 */

/** Result of one attempt. `code` is the bank's own, if it has one, only for people. */
export type AttemptResult =
  | { outcome: 'accepted'; orderId: string }
  | {
      outcome: 'not-sent';
      why: 'unreachable' | 'authentication' | 'wrong-store' | 'token-suspect' | 'changed';
    }
  /** Nothing was sent: a switch was off immediately before the first byte. */
  | { outcome: 'not-sent'; why: 'switched-off'; scope: SwitchScope }
  | { outcome: 'refused'; condition: BankCondition; code?: number }
  | { outcome: 'exists' }
  /**
   * This attempt is in doubt; or, if it gave way to another sender before anything was recorded or sent, the other sender's
   * (`gaveWayTo`).
   */
  | { outcome: 'ambiguous'; why: string; gaveWayTo?: number };

/**
 * A sender waits at most 5 s before its first byte, and its POST ends within 30 s: an attempt without an outcome that is older
 * than this has no live sender. The time limit of the sending activity, never scaled.
 */
export const SENDER_LIFE_MS = 45_000;

/** A refusal means what its condition says only if no earlier attempt may have been executed. */
export type RefusalMeaning =
  | { kind: 'fail'; reason: ReasonCode }
  | { kind: 'hold'; reason: ReasonCode }
  | { kind: 'await-funds' };

const INVALID = { kind: 'fail', reason: 'refused-by-bank' } as const;

/** What follows from a clean refusal. One that can be remedied at the bank never fails a row. */
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
  /** Set once the outcome is known: what the attempt moved. */
  resolved: string | null;
}

/** Attempts that may have been executed: accepted, exists, ambiguous, or without a recorded outcome. */
const executable = <Attempt extends Pick<RecordedAttempt, 'outcome'>>(attempts: readonly Attempt[]): Attempt[] =>
  attempts.filter(({ outcome }) => outcome !== 'not-sent' && outcome !== 'refused');

/** Whether a bank that executes each of these at most once has made at most one order of them. */
export const makeOneOrder = (attempts: readonly RecordedAttempt[]): boolean => executable(attempts).length === 1;

/** Numbers of the attempts recorded as having moved nothing. */
export const unsent = (attempts: readonly RecordedAttempt[]): number[] =>
  attempts.filter(({ outcome }) => outcome === 'not-sent' || outcome === 'refused').map(({ attempt }) => attempt);

/** Whether the order with this id may be what one of these attempts made, by what the bank has returned and what was found since. */
export function mayBeOrderOf(
  attempts: readonly (Pick<RecordedAttempt, 'outcome' | 'resolved'> & { orderId: string | null })[],
  orderId: string,
): boolean {
  return executable(attempts).some(
    (attempt) => attempt.resolved !== 'absent' && (attempt.orderId === null || attempt.orderId === orderId),
  );
}

/** Attempts that may have been executed and whose outcome is not known. */
export function inDoubt<Attempt extends RecordedAttempt>(attempts: readonly Attempt[]): Attempt[] {
  return executable(attempts).filter(({ resolved }) => resolved === null);
}

/** Whether one of these attempts may have been executed and is not known to have moved nothing. */
export const mayHaveMoved = (attempts: readonly RecordedAttempt[]): boolean =>
  executable(attempts).some(({ resolved }) => resolved === null || resolved === 'paid');

/**
 * What the recorded attempts of a reference allow. An attempt that may have been executed taints, even an accepted one: the run
 * that reads this does not follow its order yet.
 */
export function submissionOf(attempts: readonly RecordedAttempt[]): Submission {
  const uncertain = inDoubt(attempts);
  return {
    attempts: Math.max(0, ...attempts.map(({ attempt }) => attempt)),
    tainted: uncertain.length > 0,
    lastLeft: Math.max(0, ...executable(attempts).map(({ attempt }) => attempt)),
    doubted: uncertain.map(({ attempt }) => attempt),
    unsent: unsent(attempts),
    resends: Math.max(0, uncertain.length - 1),
    exists: attempts.some(({ outcome }) => outcome === 'exists'),
    refusals: refusedSince(attempts).length,
  };
}

/** The refused attempts after the last one that may have been executed. */
function refusedSince(attempts: readonly RecordedAttempt[]): RecordedAttempt[] {
  const last = executable(attempts).at(-1)?.attempt ?? 0;
  return attempts.filter(({ attempt, outcome }) => attempt > last && outcome === 'refused');
}

/**
 * What a run knows after it has read the store again. The store was replaced by an older copy if it does not reach the last
 * attempt that may have left, or shows none that could be the order which the run followed (`hasOrder`) or was searching for:
 * everything is in doubt then. An attempt that moved nothing may be missing, because its sender never came to record it.
 */
export function mergeWithStored(known: Submission, stored: Submission, hasOrder: boolean): Submission {
  const isUnseen = stored.lastLeft === 0 && (hasOrder || (known.tainted && !isExplained(known, stored)));
  const attempts = Math.max(known.attempts, stored.attempts);
  if (known.lastLeft <= stored.attempts && !isUnseen) return { ...stored, attempts };
  // Nothing that this run knows of is in doubt. If a resend was allowed, and counted, it was not made yet.
  const before = known.tainted || hasOrder ? known : movedNothing(known);
  return { ...withUnknownAttempts(before), attempts, exists: known.exists || stored.exists };
}

/** Number, among doubted attempts, for attempts a store has forgotten: no record explains it. */
const FORGOTTEN = 0;

/** More may have been sent than the store shows. */
export const withUnknownAttempts = (known: Submission): Submission => inDoubtOf(known, FORGOTTEN);

const inDoubtOf = (known: Submission, attempt: number): Submission => ({
  ...known,
  tainted: true,
  doubted: [...new Set([...known.doubted, attempt])],
});

/** Whether senders have recorded for every doubted attempt that nothing left. */
function isExplained({ doubted }: Submission, { unsent }: Submission): boolean {
  return doubted.length > 0 && doubted.every((attempt) => unsent.includes(attempt));
}

interface OrderAttempt extends Pick<RecordedAttempt, 'outcome'> {
  request: SentOrder | null;
}

/**
 * The order whose bytes every further attempt repeats, for the rest of the payout's life: the last one that may have been
 * executed. While all attempts were cleanly refused or never left, the next one may differ. `attempts` are those of one
 * reference, oldest first; the reference determines the kind of order.
 */
export const orderToRepeat = <Order extends SentOrder>(attempts: readonly OrderAttempt[]): Order | undefined =>
  (executable(attempts).at(-1)?.request as Order | null | undefined) ?? undefined;

/** What an order that the bank shows is compared with: without one to repeat, the last, since a bank may execute what it refuses. */
export const orderAsked = <Order extends SentOrder>(attempts: readonly OrderAttempt[]): Order | undefined =>
  orderToRepeat<Order>(attempts) ?? (attempts.at(-1)?.request as Order | null | undefined) ?? undefined;

/** What is known about one reference, over all its attempts. */
export interface Submission {
  /** Attempts made; the next one is number `attempts + 1`. */
  attempts: number;
  /** Some attempt may have been executed, and absence has not been proven since. */
  tainted: boolean;
  /** Number of the last attempt that may have left, which a send would repeat; 0: none. */
  lastLeft: number;
  /** Numbers of the attempts that the run knows to be in doubt since the last proof. */
  doubted: readonly number[];
  /** Numbers of the attempts that moved nothing according to the store. */
  unsent: readonly number[];
  resends: number;
  /** The bank said that it has the reference, which is then never sent again. */
  exists: boolean;
  /** How often a bad request was taken for "token expired" and sent again. */
  tokenExcuses?: number;
  /** Refusals since the last attempt that may have been executed. */
  refusals: number;
}

/** For a reference without attempts, in a store that has forgotten nothing. */
export const NEVER_SENT: Submission = submissionOf([]);

/** Whether some attempt may have been executed, that is, was neither cleanly refused nor kept from leaving. */
export const mayHaveBeenSent = (known = NEVER_SENT): boolean => known.tainted || known.lastLeft > 0;

/** `isRepeated`: so often that what the bank shows should by now agree. */
export interface Refused {
  step: 'refused';
  meaning: RefusalMeaning;
  isRepeated: boolean;
}

type NextStep =
  | { step: 'adopt'; orderId: string }
  | { step: 'send-again'; after: 'reachable' | 'now' }
  | { step: 'resolve' }
  | { step: 'switched-off'; scope: SwitchScope }
  | Refused;

/** A bank's balance may lag behind its books for a moment; a refusal that it contradicts this often has another cause. */
export const REFUSALS_BELIEVED = 5;

/** A bank that expires tokens early may do so several times in a row; a wrong request stays wrong. */
export const TOKEN_EXPIRY_RESENDS_MAX = 3;

/** Adds one attempt's result to what is known, and says what follows. */
export function afterAttempt(known: Submission, result: AttemptResult): { known: Submission; next: NextStep } {
  const counted = { ...known, attempts: known.attempts + 1 };
  switch (result.outcome) {
    case 'accepted':
      return { known: { ...counted, lastLeft: counted.attempts }, next: { step: 'adopt', orderId: result.orderId } };
    case 'not-sent': {
      if (known.tainted) return { known: movedNothing(counted), next: { step: 'resolve' } };
      if (result.why === 'switched-off') return { known: counted, next: { step: 'switched-off', scope: result.scope } };
      if (result.why !== 'token-suspect') return { known: counted, next: { step: 'send-again', after: 'reachable' } };
      // A bad request with a token close to its end may mean "token expired" (no auth code exists).
      const tokenExcuses = (known.tokenExcuses ?? 0) + 1;
      return tokenExcuses > TOKEN_EXPIRY_RESENDS_MAX
        ? { known: counted, next: { step: 'refused', meaning: refusalMeaning('bad-request'), isRepeated: false } }
        : { known: { ...counted, tokenExcuses }, next: { step: 'send-again', after: 'now' } };
    }
    case 'refused': {
      if (known.tainted) return { known: movedNothing(counted), next: { step: 'resolve' } };
      const refusals = known.refusals + 1;
      const isRepeated = refusals >= REFUSALS_BELIEVED;
      const meaning = refusalMeaning(result.condition);
      return { known: { ...counted, refusals }, next: { step: 'refused', meaning, isRepeated } };
    }
    case 'exists':
      return {
        known: { ...leftInDoubt(counted, counted.attempts), exists: true },
        next: { step: 'resolve' },
      };
    case 'ambiguous':
      return { known: inDoubtBy(known, counted, result.gaveWayTo), next: { step: 'resolve' } };
  }
}

/**
 * An attempt that gave way sent nothing: it counts as the other sender's if that one was not counted before, otherwise not at
 * all.
 */
function inDoubtBy(known: Submission, counted: Submission, gaveWayTo = counted.attempts): Submission {
  return gaveWayTo > known.attempts
    ? leftInDoubt({ ...counted, attempts: gaveWayTo }, gaveWayTo)
    : movedNothing(leftInDoubt(known, gaveWayTo));
}

const leftInDoubt = (known: Submission, attempt: number): Submission => ({
  ...inDoubtOf(known, attempt),
  lastLeft: Math.max(known.lastLeft, attempt),
  refusals: 0,
});

/**
 * An earlier attempt may have been executed, which only a search can show; this one repeated nothing and is not counted as a
 * resend.
 */
const movedNothing = (counted: Submission): Submission => ({ ...counted, resends: Math.max(0, counted.resends - 1) });

const RESENDS_VERIFIED_MAX = 5;

/** What the searches since the last attempt have shown. */
interface SearchEvidence {
  absent: boolean;
  /** Searches that could prove absence and found nothing. */
  stableSearches: number;
  /** The proof window is over: the bank can no longer commit, nor its list lag behind. */
  isWindowOver: boolean;
}

/**
 * Whether the same bytes may be sent again under the same reference. A `verified` bank's word suffices only while the window is
 * open: after it the proof is one search away, and the answer to a resend is then about that resend alone.
 */
export function mayResend(dedupe: ReferenceDedupe, known: Submission, found: SearchEvidence): boolean {
  const { absent, stableSearches, isWindowOver } = found;
  if (known.exists) return false;
  switch (dedupe) {
    case 'verified':
      return (absent || (stableSearches > 0 && !isWindowOver)) && known.resends < RESENDS_VERIFIED_MAX;
    case 'assumed':
      return absent && known.resends === 0;
    case 'none':
      return false;
  }
}

/** After proof of absence nothing is in doubt; the next attempt counts as a resend. */
export function afterProvenAbsence(known: Submission): Submission {
  return { ...known, tainted: false, doubted: [], resends: known.resends + 1 };
}

/**
 * Counts a resend without proof (dedupe `verified`): the outcome stays in doubt, and a refusal of the resend is not one, because it
 * may be about the first attempt's order.
 */
export function afterUnprovenResend(known: Submission): Submission {
  return { ...known, resends: known.resends + 1 };
}

/**
 * Before an order is sent again, under any reference, the bank's list says whether it has one already: the store knows only
 * what was sent from it, and what the bank answered at that time. Pure: which read of the list is required.
 */

/** A read must have begun after `after` (epoch ms of our clock) and reach back to `from` (the same; 0: the whole list). */
export interface DemandedRead {
  after: number;
  from: number;
}

/** A read is out of date after this long: people may have taken their time in between. Of the bank's time, never scaled. */
const CURRENT_MS = 2 * 60_000;

interface Sent {
  outcome: string | null;
  sentAt: number;
  /** When its outcome was recorded; null: nobody knows it. */
  answeredAt: number | null;
}

/** An earlier generation of a document; `endedAt` null: it has no end. */
interface Earlier {
  createdAt: number;
  endedAt: number | null;
}

interface ListReadFacts {
  now: number;
  /** The read begins from then on, epoch ms. */
  begunAfter?: number;
  listLagMs: number;
  /**
   * The row has waited, or was claimed before the store was last opened anew: a copy of the store may have it too, and another
   * store may have taken the same file, and either may have sent it meanwhile.
   */
  isOlder?: boolean;
}

/**
 * The read that is required before a reference is sent; undefined: none, because nothing was sent for the document. The whole list
 * is read: a bank may date an order back that it makes in the place of another.
 *
 * @param attempts made under this reference, and under those of earlier generations: despite any answer of the bank, it may have
 * executed one; what it has refused and executed all the same the list shows within its lag
 * @param earlier the earlier generations that the store has
 */
export function demandedRead(
  attempts: readonly Sent[],
  generation: number,
  earlier: readonly Earlier[],
  { now, begunAfter = 0, listLagMs, isOlder = false }: ListReadFacts,
): DemandedRead | undefined {
  if (attempts.length === 0 && generation === 0 && !isOlder && begunAfter === 0) return undefined;
  const answered = attempts.map(
    ({ outcome, sentAt, answeredAt }) =>
      (answeredAt ?? sentAt + SENDER_LIFE_MS) + (outcome === 'refused' ? listLagMs : 0),
  );
  const ended = earlier.map(({ createdAt, endedAt }) => endedAt ?? createdAt);
  return { after: Math.max(now - CURRENT_MS, begunAfter, ...answered, ...ended), from: 0 };
}

/** Whether a row that was released then (epoch ms) has waited so long that an earlier read is out of date. */
export const hasWaited = (now: number, releasedAt: number): boolean => now - releasedAt > CURRENT_MS;

/** Whether it was met by a read of the whole list that began then (epoch ms), which a wrong clock may have set in the future. */
export const isMetBy = ({ after }: DemandedRead, beganAt: number, now: number): boolean =>
  beganAt >= after && beganAt <= now + CURRENT_MS;

/** One read that meets both. */
export function both(one: DemandedRead | undefined, other: DemandedRead | undefined): DemandedRead | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { after: Math.max(one.after, other.after), from: Math.min(one.from, other.from) };
}

/** Progress of a payout's exchange. */
export interface ExchangeProgress {
  /** Done: the payout is paid from the account in its own currency, into which the money was booked. */
  exchanged: boolean;
  /** It may be booked: the sold account is then short by that amount, which does not mean that it lacks money. */
  exchangeSent: boolean;
}

/** What is known about an order; `submission` is absent if nothing was sent. */
interface Known {
  submission?: Submission;
  isPaid?: boolean;
}

/** Progress from what is known when a run begins. A payment is sent only after its exchange. */
export function exchangeProgress({ payment, exchange }: Partial<Record<OrderKind, Known>>): ExchangeProgress {
  return {
    exchanged: exchange?.isPaid === true || (payment?.submission?.attempts ?? 0) > 0,
    exchangeSent: mayHaveBeenSent(exchange?.submission),
  };
}
