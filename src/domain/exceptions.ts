import { sellAtMost } from './agreed-cost.ts';
import type { Assessment, Exception } from './gates.ts';
import { compareDecimals, exceedsSlippage } from './money.ts';
import { objectionOf } from './payee-check.ts';
import type { Terms } from './policy.ts';
import { holdDigest } from './question-digest.ts';
import { because } from './reasons.ts';

type Read = Pick<
  Assessment,
  'digest' | 'fee' | 'feeCurrency' | 'exchange' | 'firstSellAmount' | 'lookAlike' | 'checks' | 'collected'
>;
type Caps = Pick<Terms, 'feeCap' | 'maxSlippage'>;

/**
 * What a reading shows that people have to let through. `payload` is the digest of the instruction: that a look-alike is meant is
 * said of that alone; what is said of a check is bound to the payee's details and to the verdict, what is said of a cost to what was
 * read, and to how high the cost is.
 */
export function exceptionsOf(read: Read, payload: string, caps: Caps): Exception[] {
  return [
    ...objections(read, payload),
    lookAlike(read, payload),
    ...collectedOtherwise(read, payload),
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

function lookAlike({ lookAlike }: Read, payload: string): Exception | undefined {
  if (lookAlike === undefined) return undefined;
  return { reason: because('look-alike', daysText(lookAlike)), digest: holdDigest(payload, 'look-alike') };
}

function daysText({ daysBefore }: NonNullable<Read['lookAlike']>): string | undefined {
  if (daysBefore === null) return undefined;
  return daysBefore === 0 ? 'of the same day' : `${daysBefore} ${daysBefore === 1 ? 'day' : 'days'} before`;
}

/** What a card payment has brought in is said of that payment, and each of the two things by itself. */
function collectedOtherwise({ collected }: Read, payload: string): Exception[] {
  if (collected === undefined) return [];
  const { amount, currency, isTaken, covers } = collected;
  const shown = `${amount} ${currency}`;
  const about = (code: 'card-payment-not-captured' | 'card-payment-too-small'): Exception => ({
    reason: because(code, shown),
    digest: holdDigest(payload, code, shown),
  });
  return [
    ...(isTaken ? [] : [about('card-payment-not-captured')]),
    ...(covers ? [] : [about('card-payment-too-small')]),
  ];
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
