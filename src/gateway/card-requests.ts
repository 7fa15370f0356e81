import { z } from 'zod';
import type { CardDetails, DeviceInfo } from '../api/cards.ts';
import { holdsCardNumber, isMerchantRequestId } from '../domain/card-number.ts';
import { formatMinor, parseAmount } from '../domain/money.ts';
import { Problem } from '../domain/problem.ts';
import type { CardEntry, CardholderForm } from '../vault/card-vault.ts';
import { checkCard } from '../vault/check-card.ts';
import type { CardDeps } from './gateway-deps.ts';
import { returnUrlOf } from './return-url.ts';
import { keptText } from './schemas.ts';

/** Bodies of the card routes. A member that is not known is refused: a misspelt one would be lost. */

const text = z.string().min(1).max(200);
const digits = z.union([z.string().max(4), z.int()]).transform(String);
const pixels = z.int().min(0).max(100_000);

const card = z.strictObject({
  number: z.string().max(40).describe('12 to 19 digits; blanks and dashes are dropped'),
  expiry_month: digits.describe('1 to 12'),
  expiry_year: digits.describe('two or four digits'),
  cvv: z.string().max(4).optional(),
  holder_name: text.optional(),
});

const billing = z.strictObject({
  email: text.optional(),
  line1: text.optional(),
  line2: text.optional(),
  city: text.optional(),
  state: text.optional(),
  postcode: text.optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional()
    .describe('ISO 3166 alpha-2'),
});

const deviceInfo = z.strictObject({
  ip: z.union([z.ipv4(), z.ipv6()]).optional(),
  language: z.string().max(35).optional().describe('BCP 47'),
  screen_width: pixels.optional(),
  screen_height: pixels.optional(),
  user_agent: z.string().max(500).optional(),
});

const by = keptText.optional().describe('who asks; the name of a token cannot be changed');
const returnUrl = z.string().max(2_000);
const amount = z.string().max(40).describe('decimal, with no more decimals than the currency has');

export const createBody = z.strictObject({
  merchant_request_id: z
    .string({ error: 'is needed, as a string: it is the idempotency key' })
    .refine(isMerchantRequestId, 'must be 1 to 64 of A-Z a-z 0-9 . _ ~ - and hold no card number')
    .describe('idempotency key, and the payment for life: the same again is never paid twice'),
  amount,
  currency: z.string().regex(/^[A-Z]{3}$/),
  payment_type: z.enum(['AUTH', 'DEBIT']).default('DEBIT'),
  return_url: returnUrl.describe('where the cardholder comes back to after a confirmation'),
  three_ds: z.enum(['setup', 'skip']).default('setup').describe('skip: asks for 3-D Secure only if the acquirer does'),
  card: card.optional().describe('absent: the payment waits until the cardholder gives one'),
  billing: billing.optional(),
  device_info: deviceInfo.optional(),
  by,
});
export type CreateBody = z.output<typeof createBody>;

export const cardBody = z.strictObject({
  card,
  billing: billing.optional(),
  device_info: deviceInfo.optional(),
  return_url: returnUrl.optional().describe('always send it: only the gateway that took the payment knows another one'),
});
export type CardBody = z.output<typeof cardBody>;

export const amountBody = z.strictObject({ amount, by });
export const cancelBody = z.strictObject({ by, reason: keptText.optional() });

/** What a body asks for. Throws a `Problem` for an amount, a card or an address that cannot be used. */
export function askedPayment(body: CreateBody, by: string | undefined, cards: CardDeps) {
  const { merchant_request_id, currency, payment_type, three_ds } = body;
  const amount = amountOf(body.amount, currency);
  const form = formOf(body, cards);
  const card = body.card === undefined ? undefined : cardOf(body.card, Date.now());
  return {
    input: { merchant_request_id, amount, currency, payment_type, three_ds, ...(by !== undefined && { by }) },
    form,
    card,
  };
}

/** A card with what is said beside it, by this body or one before. Throws a `Problem`. */
export function givenCard(body: CardBody, merchantRequestId: string, cards: CardDeps): CardEntry {
  const form = formOf(body, cards, cards.vault.formOf(merchantRequestId));
  return { card: cardOf(body.card, Date.now()), ...form };
}

/** Throws a `Problem` (422) whose findings name columns and rules, never values. */
function cardOf(given: z.output<typeof card>, now: number): CardDetails {
  const { number, expiry_month: expiryMonth, expiry_year: expiryYear, cvv, holder_name: holderName } = given;
  const checked = checkCard({ number, expiryMonth, expiryYear, cvv, holderName }, now);
  if (checked.ok) return checked.card;
  const place = { file: 'card', line: 1, row: null, value: null };
  throw new Problem('invalid-input', 'card-invalid', 'This card cannot be used.', {
    hint: 'The findings say why.',
    findings: checked.findings.map((finding) => ({ ...place, ...finding })),
  });
}

/** What is said beside the card; `known` is used where a part is left out. */
function formOf(
  given: Partial<Pick<CreateBody, 'billing' | 'device_info' | 'return_url'>>,
  cards: CardDeps,
  known?: CardholderForm,
): CardholderForm {
  const url = given.return_url ?? known?.returnUrl;
  if (url === undefined) {
    throw new Problem('usage', 'return-url-missing', 'The address that the cardholder comes back to is not known.', {
      hint: 'Send return_url.',
    });
  }
  return {
    returnUrl: returnUrlOf(url, cards),
    billing: given.billing ?? known?.billing,
    deviceInfo: given.device_info === undefined ? known?.deviceInfo : deviceOf(given.device_info),
  };
}

function deviceOf(given: z.output<typeof deviceInfo>): DeviceInfo {
  const { screen_width: screenWidth, screen_height: screenHeight, user_agent: userAgent, ip, language } = given;
  return { ip, language, screenWidth, screenHeight, userAgent };
}

/** The amount with the decimals of its currency. Throws a `Problem`. */
export function amountOf(given: string, currency: string): string {
  const parsed = parseAmount(given, currency);
  if (parsed.ok && !holdsCardNumber(given)) return formatMinor(parsed.minor, currency);
  throw new Problem(
    'usage',
    'amount-refused',
    `This amount cannot be used: ${parsed.ok ? 'it may be a card number' : parsed.rule}.`,
    {
      hint: 'A decimal above 0 with no more decimals than the currency has.',
    },
  );
}
