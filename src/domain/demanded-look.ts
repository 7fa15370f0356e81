import { SENDER_LIFE_MS } from './submission.ts';

/**
 * Before an order is sent again, under whatever reference, the bank's list says whether it has one already: the store knows only
 * what was sent from it, and what the bank answered at that time. Pure: which look at the list is demanded.
 */

/** A look must have begun after `after` (epoch ms of our clock) and reach back to `from` (the same; 0: the whole list). */
export interface DemandedLook {
  after: number;
  from: number;
}

/** A look is out of date after this long: people may have taken their time in between. Of the bank's time, never scaled. */
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

interface LookFacts {
  now: number;
  /** Whoever asks does so from then on, epoch ms. */
  begunAfter?: number;
  listLagMs: number;
  /**
   * The row has waited, or was claimed before the store was last opened anew: a copy of the store may have it too, and another
   * store may have taken the same file, and either may have sent it meanwhile.
   */
  isOlder?: boolean;
}

/**
 * The look that is demanded before a reference is sent; undefined: none, because nothing was sent for the document. The whole list
 * is read: a bank may date an order back that it makes in the place of another.
 *
 * @param attempts made under this reference, and under those of earlier generations: whatever the bank answered, it may have
 * executed one; what it has refused and executed all the same the list shows within its lag
 * @param earlier the earlier generations that the store has
 */
export function demandedLook(
  attempts: readonly Sent[],
  generation: number,
  earlier: readonly Earlier[],
  { now, begunAfter = 0, listLagMs, isOlder = false }: LookFacts,
): DemandedLook | undefined {
  if (attempts.length === 0 && generation === 0 && !isOlder && begunAfter === 0) return undefined;
  const answered = attempts.map(
    ({ outcome, sentAt, answeredAt }) =>
      (answeredAt ?? sentAt + SENDER_LIFE_MS) + (outcome === 'refused' ? listLagMs : 0),
  );
  const ended = earlier.map(({ createdAt, endedAt }) => endedAt ?? createdAt);
  return { after: Math.max(now - CURRENT_MS, begunAfter, ...answered, ...ended), from: 0 };
}

/** Whether a row that was released then (epoch ms) has waited so long that an earlier look is out of date. */
export const hasWaited = (now: number, releasedAt: number): boolean => now - releasedAt > CURRENT_MS;

/** Whether it was met by a look at the whole list that began then (epoch ms), which a wrong clock may have set in the future. */
export const isMetBy = ({ after }: DemandedLook, beganAt: number, now: number): boolean =>
  beganAt >= after && beganAt <= now + CURRENT_MS;

/** One look that is both. */
export function both(one: DemandedLook | undefined, other: DemandedLook | undefined): DemandedLook | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { after: Math.max(one.after, other.after), from: Math.min(one.from, other.from) };
}
