import type { Random } from '../random.ts';

/** How one model bank behaves where the interface leaves it open. Drawn once for a seed. Durations in ms. */
export interface BankProfile {
  /** What a second order under a known reference is. */
  dedupe: 'none' | '2002' | '2003' | 'same-order';
  /** Judges account, payee and money before it checks whether it knows the reference. */
  judgesFirst: boolean;
  /** A reference of a write that came to nothing counts as known for ever: it is answered like one that is. */
  burns: boolean;
  /** Under which currency an exchange is listed. */
  exchangesUnder: 'both' | 'bought' | 'sold';
  /** Whether an equal payee added again is refused (2003) or made twice. */
  payeeDedupe: boolean;
  /** Longest time between a lost answer and its commit. */
  commitDelayMs: number;
  /** Longest time a committed order is missing from the lists, and from GET by id. */
  listLagMs: number;
  getLagMs: number;
  /** How old the statuses are that the lists and GET show. */
  statusLagMs: number;
  pageOrder: 'newest' | 'oldest' | 'shuffled';
  pageCap: number;
  showsTotal: boolean;
  /** Mean time between orders of other people; 0: none. */
  foreignEveryMs: number;
  /** How amounts are written. */
  amounts: 'decimals' | 'long-decimals' | 'numbers';
  /** Whether envelopes with a refusal come under HTTP 200. */
  refusalsUnder200: boolean;
  tokenLifeS: number;
  /** What an expired token is answered with. */
  expiredToken: 'http-401' | 'code-2002';
  /** Orders of at least this many minor units wait for an audit; undefined: none does. */
  auditFrom: bigint | undefined;
  /** Share of audits that somebody decides at the bank itself. */
  decidedAtBank: number;
  /** Shares of the ends of orders; the rest completes. */
  ends: { failed: number; rejected: number; cancelled: number; odd: number; stuck: number };
  /** What CLOSED means for the money. */
  closedIs: 'unclear' | 'paid' | 'failed';
  /** Share of failed orders that complete after all, inside the time of a second read. */
  flips: number;
  flipWithinMs: number;
  /** Share of orders without a good end that the list calls completed for a while. */
  listLies: number;
  /** Share of orders whose record is not what was asked for. */
  alters: number;
  /** Share of orders whose reference comes back in another case. */
  foldsCase: number;
  /** How it shows every reference; absent: as it was sent. */
  spelling?: 'upper-case' | 'cut';
  /** Share of open orders that it gives another id. */
  renumbers?: number;
  /** An order is also read by the id that it had before. */
  redirects?: boolean;
  /** Share of payments that are answered with the id of another order. */
  answersOthersId?: number;
  /** Share of the orders that it makes and answers with a refusal. */
  executesRefused?: number;
  /** False: a cached answer shows its age by its date alone. */
  reportsCacheAge?: boolean;
  /** Share of completed orders whose money comes back, whole or in part. */
  refunds: number;
  refundAfterMs: number;
  clockSkewMs: number;
  /** From then on (epoch ms) its clock is right. */
  clockRightFrom: number;
  /** Whether answers say in their head what time it is at the bank. */
  reportsTime: boolean;
}

export interface BankWindows {
  lateCommitMs: number;
  listLagMs: number;
  noMoneyRecheckMs: number;
}

/** A bank whose clock is further off than allowed is noticed only by what it says itself. */
export const clockOf = (clockApartMs: number | undefined): Partial<BankProfile> =>
  clockApartMs === undefined ? {} : { clockSkewMs: clockApartMs, reportsTime: true };

/** What the bank's clock showed at `at`, which the record of an order keeps when the clock is set right. */
export const bankTime = ({ clockSkewMs, clockRightFrom }: BankProfile, at: number): number =>
  at < clockRightFrom ? at + clockSkewMs : at;

/** Inside the windows that the product is set to: what a bank does outside of them nobody can prevent. */
export function drawProfile(random: Random, windows: BankWindows): BankProfile {
  const often = (share: number, most: number): number => (random.chance(share) ? random.next() * most : 0);
  const pageOrder = random.pick(['newest', 'newest', 'oldest', 'shuffled'] as const);
  // Without a total nobody can see that a shuffled list has left an order out, or that a page is shorter than asked for.
  const showsTotal = pageOrder === 'shuffled' || random.chance(0.7);
  const statusLagMs = random.chance(0.3) ? random.between(0, windows.noMoneyRecheckMs / 4) : 0;
  return {
    dedupe: random.pick(['none', 'none', 'none', '2002', '2002', '2002', '2003', '2003', 'same-order'] as const),
    judgesFirst: random.chance(0.3),
    burns: random.chance(0.35),
    exchangesUnder: random.pick(['both', 'bought', 'sold'] as const),
    payeeDedupe: random.chance(0.5),
    commitDelayMs: Math.floor(windows.lateCommitMs * 0.95),
    listLagMs: random.chance(0.5) ? Math.floor(windows.listLagMs * 0.95 * random.next()) : 0,
    getLagMs: random.chance(0.3) ? random.between(0, 8_000) : 0,
    statusLagMs,
    pageOrder,
    pageCap: random.pick(showsTotal ? [2, 3, 5, 20, 100] : [20, 100]),
    showsTotal,
    foreignEveryMs: random.chance(0.4) ? random.pick([1_000, 10_000, 60_000]) : 0,
    amounts: random.pick(['decimals', 'decimals', 'long-decimals', 'numbers'] as const),
    refusalsUnder200: random.chance(0.5),
    tokenLifeS: random.pick([1, 5, 30, 90, 300, 1_800, 1_800]),
    expiredToken: random.pick(['http-401', 'code-2002'] as const),
    auditFrom: random.chance(0.4) ? BigInt(random.between(0, 3) * 30_000) : undefined,
    decidedAtBank: often(0.4, 0.6),
    ends: {
      failed: often(0.5, 0.3),
      rejected: often(0.3, 0.2),
      cancelled: often(0.3, 0.2),
      odd: often(0.15, 0.3),
      stuck: often(0.05, 0.2),
    },
    closedIs: random.pick(['unclear', 'unclear', 'paid', 'failed'] as const),
    flips: often(0.3, 0.8),
    flipWithinMs: Math.floor(windows.noMoneyRecheckMs * 0.9 - statusLagMs * 2),
    listLies: often(0.2, 0.8),
    alters: often(0.08, 0.3),
    foldsCase: often(0.08, 0.5),
    refunds: often(0.8, 1.5),
    refundAfterMs: random.pick([200, 200, 2_000, 90_000]),
    clockSkewMs: random.between(-300_000, 300_000),
    clockRightFrom: Number.POSITIVE_INFINITY,
    reportsTime: random.chance(0.3),
  };
}
