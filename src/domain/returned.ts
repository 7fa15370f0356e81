import { addDecimals, compareDecimals, decimalsEqual, groupedAmount, leastOf, sumDecimals, unsigned } from './money.ts';
import type { PayoutState, Reason, ShownState } from './payout-state.ts';
import { REASONS } from './reasons.ts';
import { returnReasonText } from './statements/return-reasons.ts';

/**
 * Money of a completed payout that came back. The end is kept; what a list, a page or an event calls its state is derived here
 * from the end and the returns, and nowhere else.
 */
export interface CameBack {
  /** Decimal string, in the currency of what was paid. */
  amount: string;
  currency: string;
  /** What is still with the payee, decimal string; `0` or less: all of it came back. */
  left: string;
  /** Why, in the bank's words or its codes in words; without repetition. */
  why: readonly string[];
  /** When the last of it was seen, epoch ms. */
  at: number;
}

/** One order or booking that brought money back; amounts may have a sign (interface section 2 does not show whether). */
export interface Returned {
  amount: string;
  currency: string;
  reasonCode?: string | null | undefined;
  seenAt: number;
}

/** Undefined: nothing came back in the currency of what was paid. */
export function cameBackOf(paid: Amount, returns: readonly Returned[]): CameBack | undefined {
  const { currency } = paid;
  const back = returns.filter((it) => it.currency === currency);
  if (back.length === 0) return undefined;
  const amount = sumOf(back);
  // Not the text of the bank: it may name people.
  const why = back.flatMap(({ reasonCode }) => returnReasonText({ code: reasonCode ?? undefined }) ?? []);
  const left = sumDecimals([unsigned(paid.amount), `-${amount}`]);
  return { amount, currency, left, why: [...new Set(why)], at: Math.max(...back.map(({ seenAt }) => seenAt)) };
}

interface Amount {
  amount: string;
  currency: string;
}

const sumOf = (some: readonly Amount[]): string => sumDecimals(some.map(({ amount }) => unsigned(amount)));

/** What came back with one return more, or (`insteadOf`) with a smaller amount of one that is in it. */
export function cameBackWith(
  paid: Amount,
  before: CameBack | undefined,
  more: Returned,
  insteadOf?: Amount,
): CameBack | undefined {
  const one = cameBackOf(paid, [more]);
  if (one === undefined || before === undefined) return one ?? before;
  const amount = sumDecimals([before.amount, one.amount, ...(insteadOf ? [`-${unsigned(insteadOf.amount)}`] : [])]);
  const left = sumDecimals([unsigned(paid.amount), `-${amount}`]);
  return { ...one, amount, left, why: [...new Set([...before.why, ...one.why])], at: Math.max(before.at, one.at) };
}

/** A return as one source shows it; `otherId`: what the other source calls it. */
interface Sourced extends Amount {
  orderId: string;
  otherId: string | null;
  shownBy: 'orders' | 'statement';
}

/**
 * Which of the returns that only the other source has shown this one is: the bank shows one return among its orders and on its
 * statement, perhaps before and after a fee. The first of equal amounts, else the nearest that differs by no more than a fee; by
 * more, only if more would have come back than was paid.
 */
export function sameReturn<Known extends Sourced>(
  seen: Amount,
  free: readonly Known[],
  { paid, cameBack }: { paid: Amount; cameBack: string },
): Known | undefined {
  const equal = free.find(({ amount }) => decimalsEqual(unsigned(amount), unsigned(seen.amount)));
  if (equal !== undefined || paid.currency !== seen.currency) return equal;
  const isTooMuch = compareDecimals(addDecimals(cameBack, unsigned(seen.amount)), unsigned(paid.amount)) === 1;
  const away = ({ amount }: Known): string => unsigned(addDecimals(unsigned(amount), `-${unsigned(seen.amount)}`));
  const inOrder = free.toSorted((a, b) => compareDecimals(away(a), away(b)) ?? 0);
  return inOrder.find((it) => isTooMuch || isFee(away(it), smaller(it.amount, seen.amount)));
}

/** What a bank may keep of a return: a twentieth of what came back. */
const isFee = (kept: string, of: string): boolean =>
  compareDecimals(sumDecimals(Array(FEE_SHARE).fill(kept)), of) !== 1;
const FEE_SHARE = 20;

/** Of two amounts of one return what certainly came back. */
export const smaller = (a: string, b: string): string => leastOf(unsigned(a), unsigned(b));

export const isWhole = ({ left }: CameBack): boolean => compareDecimals(left, '0') !== 1;

interface Ended {
  state: PayoutState;
  stateSince: number;
  reason: Reason | null;
  cameBack: CameBack | null;
}

interface ShownEnd {
  state: ShownState;
  reason: Reason | null;
  /** Epoch ms. */
  since: number;
}

/** What people and programs are shown as the state of a payout, why, and since when. */
export function shownStateOf({ state, stateSince, reason, cameBack }: Ended): ShownEnd {
  if (state !== 'completed' || cameBack === null) return { state, reason, since: stateSince };
  const all = isWhole(cameBack);
  const { amount, currency, left, why, at } = cameBack;
  const code = all ? 'returned' : 'partly-returned';
  const back = `${groupedAmount(amount)} ${currency}`;
  const money = all ? back : `${back}, and ${groupedAmount(left)} ${currency} did not`;
  return {
    state: all ? 'returned' : state,
    reason: { code, message: [`${REASONS[code].says}: ${money}`, ...why].join('; ') },
    since: Math.max(at, stateSince),
  };
}
