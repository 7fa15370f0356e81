import { isCardNumber } from '../../domain/card-number.ts';
import type { CardDetails } from './cards.ts';

/** What is wrong with a card, without its value. */
interface CardFinding {
  column: 'number' | 'expiry_month' | 'expiry_year' | 'cvv' | 'holder_name';
  rule: 'card-number-invalid' | 'expiry-invalid' | 'card-expired' | 'cvv-invalid' | 'holder-name-invalid';
  message: string;
}

type CheckedCard = { ok: true; card: CardDetails } | { ok: false; findings: CardFinding[] };

/** A card is valid to the end of its month in every time zone; the last ones are 12 hours behind UTC. */
const LAST_ZONE_MS = 12 * 3_600_000;
const NAME_CHARACTERS_MAX = 100;

/**
 * Checks what can be checked without the acquirer. The card is as entered: its number with spaces or dashes, its month with one
 * digit, its year with two or four. `now`: epoch ms.
 */
export function checkCard(given: CardDetails, now: number): CheckedCard {
  const number = given.number.replace(/[\s-]/g, '');
  const month = given.expiry_month.padStart(2, '0');
  const year = given.expiry_year.length === 2 ? `20${given.expiry_year}` : given.expiry_year;
  const { cvv, holder_name } = given;
  const findings: CardFinding[] = [];
  const refuse = (column: CardFinding['column'], rule: CardFinding['rule'], message: string): void =>
    void findings.push({ column, rule, message });
  if (!isCardNumber(number)) refuse('number', 'card-number-invalid', 'The card number is not valid.');
  const monthFits = /^(0[1-9]|1[0-2])$/.test(month);
  const yearFits = /^20\d\d$/.test(year);
  if (!monthFits) refuse('expiry_month', 'expiry-invalid', 'A month is 01 to 12.');
  if (!yearFits) refuse('expiry_year', 'expiry-invalid', 'A year has two or four digits.');
  if (monthFits && yearFits && `${year}-${month}` < new Date(now - LAST_ZONE_MS).toISOString().slice(0, 7)) {
    refuse('expiry_year', 'card-expired', 'The card has expired.');
  }
  if (cvv !== undefined && !/^\d{3,4}$/.test(cvv)) refuse('cvv', 'cvv-invalid', 'A CVV has three or four digits.');
  if (holder_name !== undefined && (holder_name.length > NAME_CHARACTERS_MAX || /\p{Cc}/u.test(holder_name))) {
    refuse('holder_name', 'holder-name-invalid', 'The name on the card is not valid.');
  }
  if (findings.length > 0) return { ok: false, findings };
  return { ok: true, card: { number, expiry_month: month, expiry_year: year, cvv, holder_name } };
}
