import type { CardEnd } from './card-payment.ts';
import type { CardTerms } from './card-terms.ts';
import type { Reason } from './payout-state.ts';
import { because } from './reasons.ts';

/** How the payment with one card ended. */
interface TriedCard {
  end: CardEnd;
  reason: Reason | null;
  /** Why the acquirer refused a request, if it did. */
  why?: string;
  /** Number of cards tried so far, including this one. */
  tried: number;
  /** Some answer about this payment was lost or people were asked, even if that has been resolved since. */
  uncertain: boolean;
}

/**
 * Reason to wait for another card instead of ending: the acquirer declined the card or refused it as invalid, no outcome was ever
 * uncertain, and the cardholder has a card left. Undefined: the payment ends. Never for an abandoned challenge, which may still
 * be confirmed.
 */
export function asksForAnotherCard(
  { end, reason, why, tried, uncertain }: TriedCard,
  { cards }: Pick<CardTerms, 'cards'>,
): Reason | undefined {
  // Terms in recorded histories may lack `cards`; the comparison is then false, so no further card is allowed.
  const hasOneLeft = tried < cards;
  if (end !== 'failed' || uncertain || !hasOneLeft) return undefined;
  if (reason?.code === 'card-declined') return because('another-card-needed');
  return reason?.code === 'refused-by-acquirer' ? because('card-refused', why) : undefined;
}
