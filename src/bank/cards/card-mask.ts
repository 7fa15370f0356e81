import { HEX_ID, isCardNumber } from '../../domain/card-number.ts';

/** Digits in groups, as in card numbers, with one separator between groups. */
const GROUPED_DIGITS = /\d+(?:[\s.\-\u2010-\u2015]\d+)*/g;
/** Words in a member's name which show that it holds data of a card or its holder. */
const CARD_WORDS =
  /^(pan|number|cvv2?|cvc2?|cvn2?|csc|cav2?|holder|cardholder|name|email|mail|phone|mobile|street|address|postcode|zip)$|(cardnumber|securitycode)/;
const MASK = '[masked]';
/** 19 groups of one digit and the separators between them. */
const PARTS_MAX = 2 * 19 - 1;

/**
 * A copy of any JSON with possible card data masked: card numbers anywhere, and members whose names suggest card data in full.
 */
export function masked(value: unknown): unknown {
  if (typeof value === 'string' || (typeof value === 'number' && !isTime(value))) {
    const text = String(value);
    const shown = maskedText(text);
    return shown === text ? value : shown;
  }
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [maskedText(name), saysCard(name) ? MASK : masked(member)]),
  );
}

/** Epoch milliseconds from 2001 to 2033 (interface section 1): no card number has 13 digits and begins with 1. */
const isTime = (value: number): boolean => value >= 1e12 && value < 2e12;

/** Splitting at this keeps the ids, at odd positions. */
const HEX_IDS = new RegExp(`(${HEX_ID.source})`, HEX_ID.flags);

/** UUIDs stay as they are: one in two hundred would be taken for a card number. */
const maskedText = (text: string): string =>
  text
    .split(HEX_IDS)
    .map((part, place) => (place % 2 === 0 ? maskedDigits(part) : part))
    .join('');

/** A card number may be next to other groups of digits (expiry, CVV), so every run of groups is tried. */
function maskedDigits(text: string): string {
  return text.replace(GROUPED_DIGITS, (run) => {
    const parts = run.split(/(\D)/);
    for (let from = 0; from < parts.length; from += 2) {
      for (let to = Math.min(parts.length, from + PARTS_MAX); to > from; to -= 2) {
        if (!isCardNumber(parts.slice(from, to).join('').replace(/\D/g, ''))) continue;
        parts.splice(from, to - from, MASK);
        break;
      }
    }
    return parts.join('');
  });
}

function saysCard(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => CARD_WORDS.test(word)) || CARD_WORDS.test(words.join(''));
}
