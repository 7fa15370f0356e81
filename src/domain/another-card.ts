import type { CardEnd } from './card-payment.ts';
import type { CardTerms } from './card-terms.ts';
import type { Reason } from './payout-state.ts';
import { because } from './reasons.ts';

/** What came of a card. */
interface TriedCard {
  end: CardEnd;
  reason: Reason | null;
  /** Why the acquirer refused a request, where it did. */
  why?: string;
  /** Cards tried so far, this one included. */
  tried: number;
  /** An answer about this payment was lost or people were asked, whatever has been learned since. */
  uncertain: boolean;
}

/**
 * Why a payment waits for another card instead of ending: the acquirer has declined the one before or refused it as invalid,
 * nothing was ever uncertain on the way there, and the cardholder has a card left. Undefined: it ends as it does. An abandoned
 * challenge is none of these: it may still be confirmed.
 */
export function asksForAnotherCard(
  { end, reason, why, tried, uncertain }: TriedCard,
  { cards }: Pick<CardTerms, 'cards'>,
): Reason | undefined {
  // Terms in recorded histories may have no `cards`: then there is no further one.
  const hasOneLeft = tried < cards;
  if (end !== 'failed' || uncertain || !hasOneLeft) return undefined;
  if (reason?.code === 'card-declined') return because('another-card-needed');
  return reason?.code === 'refused-by-acquirer' ? because('card-refused', why) : undefined;
}
