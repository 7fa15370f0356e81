import type { Flag, Shown } from './flags.ts';
import { compareDecimals, exceedsSlippage } from './money.ts';
import type { Reason } from './payout-state.ts';
import type { Terms } from './policy.ts';
import { because } from './reasons.ts';
import type { SwitchScope } from './switch-scope.ts';

/** A payee at the bank; a changed detail changes the digest. */
export interface Payee {
  id: string;
  digest: string;
}

/** What the bank shows about a payout before it is sent. Read again after every wait. */
export interface Assessment {
  /** Absent where the order names none: a transfer, an exchange by itself. */
  beneficiary?: ({ known: true } & Payee) | { known: false };
  /** Account that pays, in the payout currency. */
  payingAccountId?: string;
  /** The payout currency must be bought first; of an exchange by itself, what it is. */
  exchange?: ExchangePlan;
  /** Of an exchange by itself: the sell amount of its first quote, which is near the one that was agreed to. */
  firstSellAmount?: string;
  /** Between which accounts a transfer moves money. */
  transfer?: TransferPlan;
  fee?: string;
  feeCurrency?: string;
  /** Digest an approval is bound to: payee, account, amount, fee. */
  digest: string;
  /** Distinct people who must approve before submit. */
  approvalsNeeded: number;
  /** Distinct people who must approve the order at the bank, should it ask for that; absent: one. */
  approvalsAtBank?: number;
  /** Of the policy that it was read under; absent: none is set. */
  policyHash?: string;
  /** One signature for many payouts does not approve it. */
  asksAlone?: true;
  /** What people should look at before they decide. */
  flags?: readonly Flag[];
  /** What was shown first; kept, whatever later readings show. */
  first?: Shown;
  /** Nothing is created at the bank, a payee included, before it is approved. */
  approvedFirst?: true;
  /** Which account must cover how much, and whether its balance does; absent while that is not known. */
  funds?: { accountId: string; needs: string; enough: boolean };
  /** What the bank refused to answer, and what follows from it. */
  obstacle?: Obstacle;
  /** A limit of the policy that it would pass now, in words. */
  limit?: string;
  /** A switch that is off matches the payout. */
  switchedOff?: SwitchScope;
  /** An earlier payout of the same payee, amount and currency: handed over how many days before; null: not known. */
  lookAlike?: { daysBefore: number | null };
  /** It is a further generation, and it has come to light that an earlier one may have taken money. */
  earlierOpen?: true;
  /** Where the card payment stands that the payout is tied to; absent when it is tied to none. */
  cardPayment?: 'succeeded' | 'open' | 'unpaid' | 'contradicted';
}

/** An account as the bank shows it. */
export interface ShownAccount {
  uid: string;
  currency: string;
}

export interface TransferPlan {
  source: ShownAccount;
  destination: ShownAccount;
}

export interface ExchangePlan {
  sellAccountId: string;
  buyAccountId: string;
  /** Amount to buy, in the payout currency: the payout and its fee where the fee is in the same currency. */
  buyAmount: string;
  buyCurrency: string;
  sellCurrency: string;
  /** Sell amount of the quote: what the booked order is compared with. */
  quotedSellAmount: string;
  /** The quote buys exactly `buyAmount`; otherwise the bank reads `amount` and `currency` of an exchange differently. */
  buysWhatWasAsked: boolean;
}

export type Obstacle = { kind: 'fail' | 'hold'; reason: Reason } | { kind: 'await-funds' };

/** What people have already let through. */
export interface Passes {
  /** Digest under which the quorum approved. */
  approvedDigest?: string;
  /** Digest whose fee was accepted above the cap. */
  feeAcceptedDigest?: string;
  /** Sell amount of a quote that somebody accepted above the cap. */
  acceptedSellAmount?: string;
  /** Somebody accepted the rate at which the exchange of the payout was booked. */
  bookedRateAccepted?: boolean;
  /** Somebody said that the look-alike of an earlier payout is meant. */
  lookAlikeMeant?: boolean;
}

export type Gate =
  | { gate: 'open' }
  | { gate: 'scheduled'; until: number }
  | { gate: 'beneficiary' }
  | { gate: 'fail'; reason: Reason }
  | { gate: 'hold'; reason: Reason }
  | { gate: 'await-funds' }
  | { gate: 'approval'; needed: number; digest: string };

/** The first thing that stands between a payout and its submit, in the order of its life. */
export function nextGate(assessment: Assessment, terms: Terms, passes: Passes, now: number): Gate {
  if (assessment.obstacle?.kind === 'fail') return { gate: 'fail', reason: assessment.obstacle.reason };
  if (terms.dueAt !== undefined && now < terms.dueAt) return { gate: 'scheduled', until: terms.dueAt };
  if (assessment.switchedOff !== undefined) {
    return { gate: 'hold', reason: because('switched-off', assessment.switchedOff) };
  }
  // Nobody lets this through: it would be paid a second time.
  if (assessment.earlierOpen === true) return { gate: 'hold', reason: because('earlier-generation-open') };
  // Nor this: the money to pay with is what the card payment takes.
  if (assessment.cardPayment === 'unpaid') return { gate: 'fail', reason: because('card-payment-unpaid') };
  if (assessment.cardPayment === 'open') return { gate: 'hold', reason: because('card-payment-open') };
  if (assessment.cardPayment === 'contradicted') return { gate: 'hold', reason: because('card-payment-contradicted') };
  if (assessment.limit !== undefined) return { gate: 'hold', reason: because('limit-reached', assessment.limit) };
  // Before anything is created at the bank, a payee included.
  if (assessment.lookAlike !== undefined && passes.lookAlikeMeant !== true) {
    return { gate: 'hold', reason: because('look-alike', daysText(assessment.lookAlike)) };
  }
  if (assessment.obstacle?.kind === 'hold') return { gate: 'hold', reason: assessment.obstacle.reason };
  if (assessment.obstacle?.kind === 'await-funds') return { gate: 'await-funds' };
  const approval = approvalGate(assessment, passes);
  if (assessment.beneficiary?.known === false) {
    return assessment.approvedFirst === true && approval !== undefined ? approval : { gate: 'beneficiary' };
  }
  if (feeAboveCap(assessment, terms) && passes.feeAcceptedDigest !== assessment.digest) {
    return {
      gate: 'hold',
      reason: because('fee-above-cap', `fee ${assessment.fee} ${assessment.feeCurrency}, cap ${terms.feeCap}`),
    };
  }
  if (assessment.exchange?.buysWhatWasAsked === false)
    return { gate: 'hold', reason: because('exchange-quote-unclear') };
  const worse = quoteAboveCap(assessment, terms, passes);
  if (worse !== undefined) return { gate: 'hold', reason: because('slippage-above-cap', worse) };
  if (assessment.funds?.enough === false) return { gate: 'await-funds' };
  return approval ?? { gate: 'open' };
}

const approvalGate = ({ approvalsNeeded: needed, digest }: Assessment, passes: Passes): Gate | undefined =>
  needed > 0 && passes.approvedDigest !== digest ? { gate: 'approval', needed, digest } : undefined;

/** How a quote of an exchange by itself is worse than the first one, or than the one that was accepted since. */
function quoteAboveCap(
  { exchange, firstSellAmount }: Assessment,
  { maxSlippage }: Terms,
  passes: Passes,
): string | undefined {
  if (exchange === undefined || firstSellAmount === undefined) return undefined;
  const { quotedSellAmount, sellCurrency } = exchange;
  const agreed = passes.acceptedSellAmount ?? firstSellAmount;
  return exceedsSlippage(agreed, quotedSellAmount, maxSlippage)
    ? `${quotedSellAmount} ${sellCurrency} now, ${agreed} before, cap ${maxSlippage}`
    : undefined;
}

function daysText({ daysBefore }: { daysBefore: number | null }): string | undefined {
  if (daysBefore === null) return undefined;
  return daysBefore === 0 ? 'of the same day' : `${daysBefore} ${daysBefore === 1 ? 'day' : 'days'} before`;
}

function feeAboveCap(assessment: Assessment, terms: Terms): boolean {
  if (terms.feeCap === undefined || assessment.fee === undefined) return false;
  return compareDecimals(assessment.fee, terms.feeCap) === 1;
}
