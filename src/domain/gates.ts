import { sellAtMost } from './agreed-cost.ts';
import type { Flag, Shown } from './flags.ts';
import { compareDecimals, exceedsSlippage } from './money.ts';
import type { ExchangePlan, TransferPlan } from './order-plans.ts';
import { objectionOf, type PayeeCheck } from './payee-check.ts';
import type { Reason } from './payout-state.ts';
import type { Terms } from './policy.ts';
import { holdDigest } from './question-digest.ts';
import { because } from './reasons.ts';
import type { SwitchScope } from './switch-scope.ts';

/** A payee at the bank; a changed detail changes the digest. */
export interface Payee {
  id: string;
  digest: string;
}

/** What our own store and the policy have against sending, the bank aside. Absent: nothing. */
export interface Guards {
  /** A switch that is off matches the payout. */
  switchedOff?: SwitchScope;
  /** It is a further generation, and it has come to light that an earlier one may have taken money. */
  earlierOpen?: true;
  /** A limit of the policy that it would pass now, in words. */
  limit?: string;
  /** The policy does not let its maker hand it over, or does so no longer. */
  makerNotAllowed?: true;
  /** An earlier payout of the same payee, amount and currency: handed over how many days before; null: not known. */
  lookAlike?: { daysBefore: number | null };
  /** Where the card payment stands that the payout is tied to; absent when it is tied to none. */
  cardPayment?: 'succeeded' | 'open' | 'unpaid' | 'contradicted';
  /** What the card payment brought in, once it has succeeded. */
  collected?: Collected;
}

/** What is read about a payout before it is sent: what the bank shows, and what we have against it. Read again after every wait. */
export interface Assessment extends Guards {
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
  /** How many people were asked before by digest, each as it was asked last: kept through readings of another digest or of none. */
  asked?: Readonly<Record<string, number>>;
  /** Nothing is created at the bank, a payee included, before it is approved. */
  approvedFirst?: true;
  /** Which account must cover how much, and whether its balance does; absent while that is not known. */
  funds?: { accountId: string; needs: string; enough: boolean };
  /** What the bank refused to answer, and what follows from it. */
  obstacle?: Obstacle;
  /** What people have to let through before anything is sent, in the order in which they are asked. */
  exceptions?: readonly Exception[];
  /** What providers say of the payee; absent where none is asked. */
  checks?: readonly PayeeCheck[];
}

/** What a card payment brought in that a payout waits for. */
export interface Collected {
  amount: string;
  currency: string;
  /** A DEBIT; of an AUTH the money is reserved, and somebody has still to take it. */
  isTaken: boolean;
  /** It is in the currency of the payout, and as much at least. */
  covers: boolean;
}

/** Something about a payout that is sent only if people say so, each by itself: what is said of one says nothing of another. */
export interface Exception {
  reason: Reason;
  /** Of what is decided. */
  digest: string;
}

export type Obstacle = { kind: 'fail' | 'hold'; reason: Reason } | { kind: 'await-funds' };

/** Who has approved what is paid under a digest. */
export interface Approved {
  digest: string;
  by: readonly string[];
}

/** What people have already let through: kept between visits, and handed over where a run goes on in a new history. */
export interface Passes {
  /** Who has approved what is paid, as many as were asked for. A fee may change, and change back: an approval stands for its digest. */
  approved?: readonly Approved[];
  /** Digests of the exceptions that somebody let through. */
  letThrough?: readonly string[];
  /** Somebody accepted the rate at which the exchange of the payout was booked. */
  bookedRateAccepted?: boolean;
}

export type Gate =
  | { gate: 'open' }
  | { gate: 'scheduled'; until: number }
  | { gate: 'beneficiary' }
  | { gate: 'fail'; reason: Reason }
  /** `digest`: of what people are asked. */
  | { gate: 'hold'; reason: Reason; digest: string }
  | { gate: 'await-funds' }
  | { gate: 'approval'; needed: number; digest: string };

/** The first thing that stands between a payout and its submit, in the order of its life. */
export function nextGate(assessment: Assessment, terms: Terms, passes: Passes, now: number): Gate {
  const { obstacle, exchange } = assessment;
  const hold = (reason: Reason): Gate => ({ gate: 'hold', reason, digest: holdDigest(assessment.digest, reason.code) });
  if (obstacle?.kind === 'fail') return { gate: 'fail', reason: obstacle.reason };
  if (terms.dueAt !== undefined && now < terms.dueAt) return { gate: 'scheduled', until: terms.dueAt };
  for (const stop of stopsOf(assessment)) {
    if ('fail' in stop) return { gate: 'fail', reason: stop.fail };
    if ('hold' in stop) return hold(stop.hold);
  }
  // Before anything is created at the bank, a payee included.
  const exception = assessment.exceptions?.find(({ digest }) => passes.letThrough?.includes(digest) !== true);
  if (exception !== undefined) return { gate: 'hold', ...exception };
  if (obstacle?.kind === 'hold') return hold(obstacle.reason);
  if (obstacle?.kind === 'await-funds') return { gate: 'await-funds' };
  const approval = approvalGate(assessment, passes);
  if (assessment.beneficiary?.known === false) {
    return assessment.approvedFirst === true && approval !== undefined ? approval : { gate: 'beneficiary' };
  }
  if (exchange?.buysWhatWasAsked === false) return hold(because('exchange-quote-unclear'));
  if (assessment.funds?.enough === false) return { gate: 'await-funds' };
  return approval ?? { gate: 'open' };
}

/** As many as are asked for now: the rules may have become stricter since. */
const approvalGate = ({ approvalsNeeded: needed, digest }: Assessment, passes: Passes): Gate | undefined =>
  needed === 0 || passes.approved?.some((approved) => approved.digest === digest && approved.by.length >= needed)
    ? undefined
    : { gate: 'approval', needed, digest };

/** What a guard asks for: that nothing is ever sent, or nothing while it stands, or nothing unless people let it through. */
type Stop = { fail: Reason } | { hold: Reason } | { letThrough: readonly ToLetThrough[] };

/** `bound`: what people let through beside the instruction, and what else must be let through anew. */
interface ToLetThrough {
  reason: Reason;
  bound?: string;
}

type Found = { [Name in keyof Guards]-?: NonNullable<Guards[Name]> };

/** What each guard asks for, in the order in which they are heard; those that are let through come after all others. */
const STOPS: { readonly [Name in keyof Found]: (found: Found[Name]) => Stop | undefined } = {
  switchedOff: (scope) => ({ hold: because('switched-off', scope) }),
  // Nobody lets this through: it would be paid a second time.
  earlierOpen: () => ({ hold: because('earlier-generation-open') }),
  // Nor this: the money to pay with is what the card payment takes.
  cardPayment: (stands) => BY_CARD_PAYMENT[stands],
  limit: (passed) => ({ hold: because('limit-reached', passed) }),
  makerNotAllowed: () => ({ hold: because('maker-not-allowed') }),
  lookAlike: (earlier) => ({ letThrough: [{ reason: because('look-alike', daysText(earlier)) }] }),
  collected: (money) => ({ letThrough: collectedOtherwise(money) }),
};

const BY_CARD_PAYMENT: Readonly<Record<NonNullable<Guards['cardPayment']>, Stop | undefined>> = {
  succeeded: undefined,
  unpaid: { fail: because('card-payment-unpaid') },
  open: { hold: because('card-payment-open') },
  contradicted: { hold: because('card-payment-contradicted') },
};

function stopsOf(guards: Partial<Found>): Stop[] {
  const stopOf = <Name extends keyof Found>(name: Name): Stop | undefined => {
    const found: Found[Name] | undefined = guards[name];
    return found === undefined ? undefined : STOPS[name](found);
  };
  return (Object.keys(STOPS) as (keyof Guards)[]).map(stopOf).filter((stop) => stop !== undefined);
}

type Read = Guards & Pick<Assessment, 'digest' | 'fee' | 'feeCurrency' | 'exchange' | 'firstSellAmount' | 'checks'>;
type Caps = Pick<Terms, 'feeCap' | 'maxSlippage'>;

/**
 * What a reading shows that people have to let through. `payload` is the digest of the instruction: that a look-alike is meant is
 * said of that alone, and of a card payment, of what it brought in; what is said of a check is bound to the payee's details and to
 * the verdict, what is said of a cost to what was read, and to how high the cost is.
 */
export function exceptionsOf(read: Read, payload: string, caps: Caps): Exception[] {
  return [
    ...objections(read, payload),
    ...stopsOf(read)
      .flatMap((stop) => ('letThrough' in stop ? stop.letThrough : []))
      .map(({ reason, bound }) => ({ reason, digest: holdDigest(payload, reason.code, bound) })),
    feeAboveCap(read, caps),
    quoteAboveCap(read, caps),
  ].filter((exception) => exception !== undefined);
}

/** Each check by itself: who clears a screening says nothing about a name. */
function objections({ checks = [] }: Read, payload: string): Exception[] {
  return checks.flatMap((check) => {
    const code = objectionOf(check);
    return code === undefined ? [] : [{ reason: because(code), digest: holdDigest(payload, code, check.digest) }];
  });
}

function daysText({ daysBefore }: NonNullable<Guards['lookAlike']>): string | undefined {
  if (daysBefore === null) return undefined;
  return daysBefore === 0 ? 'of the same day' : `${daysBefore} ${daysBefore === 1 ? 'day' : 'days'} before`;
}

/** Each of the two things by itself. */
function collectedOtherwise({ amount, currency, isTaken, covers }: Collected): ToLetThrough[] {
  const bound = `${amount} ${currency}`;
  const codes = [
    ...(isTaken ? [] : ['card-payment-not-captured' as const]),
    ...(covers ? [] : ['card-payment-too-small' as const]),
  ];
  return codes.map((code) => ({ reason: because(code, bound), bound }));
}

function feeAboveCap({ digest, fee, feeCurrency }: Read, { feeCap }: Caps): Exception | undefined {
  if (feeCap === undefined || fee === undefined || compareDecimals(fee, feeCap) !== 1) return undefined;
  const shown = `${fee} ${feeCurrency}`;
  return {
    reason: because('fee-above-cap', `fee ${shown}, cap ${feeCap}`),
    digest: holdDigest(digest, 'fee-above-cap', shown),
  };
}

/** Of an exchange by itself, whose quote is worse than the first one. That of a payout is compared once it is booked. */
function quoteAboveCap(
  { digest, exchange, firstSellAmount }: Read,
  { maxSlippage }: Pick<Caps, 'maxSlippage'>,
): Exception | undefined {
  if (exchange === undefined || firstSellAmount === undefined || !exchange.buysWhatWasAsked) return undefined;
  const { quotedSellAmount: quoted, sellCurrency } = exchange;
  if (!exceedsSlippage(firstSellAmount, quoted, maxSlippage)) return undefined;
  const bound = `${sellAtMost(firstSellAmount, quoted, maxSlippage)} ${sellCurrency}`;
  const detail = `${quoted} ${sellCurrency} now, ${firstSellAmount} before, cap ${maxSlippage}`;
  return {
    reason: because('slippage-above-cap', detail),
    digest: holdDigest(digest, 'slippage-above-cap', bound),
  };
}
