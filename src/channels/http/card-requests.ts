import { z } from 'zod';
import type { CardDetails } from '../../bank/cards/acquirer.ts';
import { type CardEntry, type CardholderForm, checkCard } from '../../bank/cards/vault.ts';
import { CARD_EXAMPLE, holdsCardNumber, isMerchantRequestId } from '../../domain/card-number.ts';
import type { Finding } from '../../domain/finding.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { formatMinor, parseAmount } from '../../domain/money.ts';
import { isNumbered } from '../../domain/new-card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import type { App } from '../../platform/app.ts';
import { storableText } from './documents.ts';
import { checkoutUrlOf, type Gateway } from './gateway-app.ts';

/** Bodies of the card routes. Unknown members are refused: a misspelled one would be lost. */

/** Messages for a member that is missing, and for one of the wrong kind. */
const must = (be: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `is required: ${be}` : `must be ${be}`),
});

const words = must('1 to 200 characters in quotes');
const text = z.string(words).min(1, words).max(200, words);
const digits = (be: string) => z.union([z.string().max(4), z.int().min(0).max(9_999)], must(be)).transform(String);
/** Of a union, which generators turn into types of their own. */
const TEXT_OR_NUMBER = { type: ['string', 'integer'], anyOf: undefined };
const pixels = z.int(must('a number of pixels')).min(0, must('0 at least')).max(100_000, must('100000 at most'));

const NUMBER = must('12 to 19 digits in quotes');
const CVV = must('three or four digits in quotes');
const card = z
  .strictObject(
    {
      number: z.string(NUMBER).max(40, NUMBER).describe('12 to 19 digits'),
      expiry_month: digits('1 to 12').meta({ description: '1 to 12', ...TEXT_OR_NUMBER }),
      expiry_year: digits('two or four digits').meta({ description: 'two or four digits', ...TEXT_OR_NUMBER }),
      cvv: z.string(CVV).max(4, CVV).optional(),
      holder_name: text.optional(),
    },
    must('an object with number, expiry_month, expiry_year, and cvv and holder_name if known'),
  )
  .meta({ id: 'CardDetails' });

const COUNTRY = must('two capital letters, such as DE');
const billing = z
  .strictObject({
    email: text.optional(),
    line1: text.optional(),
    line2: text.optional(),
    city: text.optional(),
    state: text.optional(),
    postcode: text.optional(),
    country: z
      .string(COUNTRY)
      .regex(/^[A-Z]{2}$/, COUNTRY)
      .optional()
      .describe('ISO 3166 alpha-2'),
  })
  .meta({ id: 'Billing' });

const deviceInfo = z
  .strictObject({
    ip: z
      .union([z.ipv4(), z.ipv6()], must('an IPv4 or IPv6 address'))
      .meta({ type: 'string', anyOf: undefined })
      .optional(),
    language: z.string().max(35).optional().describe('BCP 47'),
    screen_width: pixels.optional(),
    screen_height: pixels.optional(),
    user_agent: z.string().max(500).optional(),
  })
  .meta({ id: 'DeviceInfo' });

const AMOUNT = must('a decimal in quotes, such as "49.90"');
const CURRENCY = must('three capital letters, such as EUR');
const URL_TEXT = must('an address of at most 2000 characters');
const by = storableText.optional();
const returnUrl = z.string(URL_TEXT).max(2_000, URL_TEXT);
const amount = z.string(AMOUNT).max(40, AMOUNT).describe('with no more decimals than the currency has');

export const createBody = z.strictObject({
  merchant_request_id: z
    .string({ error: 'is required, as a string: it is the idempotency key' })
    .refine(
      (id) => isMerchantRequestId(id) && !isNumbered(id),
      'must be 1 to 64 of A-Z a-z 0-9 . _ ~ -, contain no card number, not end in ~2 to ~9, and be no UUID of version 5',
    )
    .describe('idempotency key and id of the payment: the same one never takes money twice'),
  amount,
  currency: z.string(CURRENCY).regex(/^[A-Z]{3}$/, CURRENCY),
  payment_type: z.enum(['AUTH', 'DEBIT'], must('AUTH or DEBIT')).default('DEBIT'),
  return_url: returnUrl.optional().describe('where the cardholder returns to; the sandbox may have a page of its own'),
  three_ds: z
    .enum(['setup', 'skip'], must('setup or skip'))
    .default('setup')
    .describe('skip: asks for 3-D Secure only if the acquirer does'),
  card: card.optional().describe('absent: the payment waits until the cardholder enters one'),
  billing: billing.optional(),
  device_info: deviceInfo.optional(),
  by,
});

export const cardBody = z.strictObject({
  card,
  billing: billing.optional(),
  device_info: deviceInfo.optional(),
  return_url: returnUrl.optional().describe('only the gateway that created the payment knows an earlier one'),
});

export const amountBody = z.strictObject({ amount, by });
export const cancelBody = z.strictObject({ by, reason: storableText.optional() });

/**
 * The request in a body. Throws one `Problem` with everything wrong: members, amount, card, return URL. `makerOf`: the maker,
 * given the body's `by`.
 */
export function askedPayment(
  given: unknown,
  makerOf: (by: string | undefined) => string | undefined,
  gateway: Gateway,
) {
  assertNone([
    ...withoutAddress(schemaFindings(createBody, given)),
    ...amountFindings(given),
    ...addressFindings(given, gateway, checkoutUrlOf(gateway)),
    ...cardFindings(given),
  ]);
  const body = createBody.parse(given);
  const { merchant_request_id, amount: decimal, currency, payment_type, three_ds } = body;
  const maker = makerOf(body.by);
  return {
    input: {
      merchant_request_id,
      amount: amountOf(decimal, currency),
      currency,
      payment_type,
      three_ds,
      ...(maker !== undefined && { by: maker }),
    },
    form: formOf(body, body.return_url ?? checkoutUrlOf(gateway) ?? '', gateway),
    card: body.card === undefined ? undefined : checkedCard(body.card),
  };
}

/** A card with the form data, of this body or an earlier one. Throws one `Problem`, as `askedPayment` does. */
export function givenCard(given: unknown, merchantRequestId: string, gateway: Gateway): CardEntry {
  const known = gateway.vault.formOf(merchantRequestId);
  assertNone([
    ...withoutAddress(schemaFindings(cardBody, given)),
    ...addressFindings(given, gateway, known?.returnUrl),
    ...cardFindings(given),
  ]);
  const body = cardBody.parse(given);
  return { card: checkedCard(body.card), ...formOf(body, body.return_url ?? known?.returnUrl ?? '', gateway, known) };
}

/** A missing return URL is reported once, with its rule. */
const withoutAddress = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ column, rule }) => column !== 'return_url' || rule !== 'member-missing');

const memberOf = (given: unknown, name: string): unknown =>
  (given as Record<string, unknown> | null | undefined)?.[name];

function amountFindings(given: unknown): Finding[] {
  const [decimal, currency] = [amount.safeParse(memberOf(given, 'amount')), memberOf(given, 'currency')];
  if (!decimal.success || !createBody.shape.currency.safeParse(currency).success) return [];
  const refused = amountRefused(decimal.data, currency as string);
  return refused === undefined ? [] : [bodyFinding(['amount'], 'amount-refused', refused)];
}

function addressFindings(given: unknown, gateway: Gateway, known: string | undefined): Finding[] {
  const url = memberOf(given, 'return_url') ?? known;
  if (url === undefined) {
    return [bodyFinding(['return_url'], 'return-url-missing', `is required: ${addressRule(gateway)}`)];
  }
  if (typeof url !== 'string' || returnUrlOf(url, gateway) !== undefined) return [];
  return [bodyFinding(['return_url'], 'return-url-refused', `must be ${addressRule(gateway)}`)];
}

/** Replaces what the schema has refused, so that the rest can be checked. */
const STAND_IN = { number: '4000000010000000', expiry_month: '12', expiry_year: '2099' };

function cardFindings(given: unknown): Finding[] {
  const entered = memberOf(given, 'card');
  if (typeof entered !== 'object' || entered === null) return [];
  const usable = Object.entries(card.shape).flatMap(([name, schema]) => {
    const { success, data } = schema.safeParse(memberOf(entered, name));
    return success && data !== undefined ? [[name, data]] : [];
  });
  const checked = checkCard({ ...STAND_IN, ...Object.fromEntries(usable) }, Date.now());
  return checked.ok
    ? []
    : checked.findings.map(({ column, rule, message }) => bodyFinding(['card', column], rule, message));
}

/** Called only for a card without findings. */
function checkedCard(given: z.output<typeof card>): CardDetails {
  const checked = checkCard(given, Date.now());
  if (checked.ok) return checked.card;
  // The card expired between the two checks.
  throw new Problem('invalid-input', 'card-invalid', 'This card cannot be used.', { hint: 'Use another card.' });
}

/** The data besides the card, from `known` where parts are missing. The return URL has no findings. */
function formOf(
  given: Partial<Pick<z.output<typeof createBody>, 'billing' | 'device_info'>>,
  returnUrl: string,
  gateway: Gateway,
  known?: CardholderForm,
): CardholderForm {
  return {
    returnUrl: returnUrlOf(returnUrl, gateway) ?? '',
    billing: given.billing ?? known?.billing,
    deviceInfo: given.device_info ?? known?.deviceInfo,
  };
}

/** What is wrong with an amount; undefined if nothing. */
function amountRefused(given: string, currency: string): string | undefined {
  if (holdsCardNumber(given)) return 'may be a card number';
  const { ok } = parseAmount(given, currency);
  return ok ? undefined : `must be a decimal above 0 with no more decimals than ${currency} has`;
}

/** The amount with all decimals of its currency. Throws a `Problem`. */
export function amountOf(given: string, currency: string): string {
  const refused = amountRefused(given, currency);
  if (refused !== undefined) assertNone([bodyFinding(['amount'], 'amount-refused', refused)]);
  const parsed = parseAmount(given, currency);
  return formatMinor(parsed.ok ? parsed.minor : 0n, currency);
}

/**
 * The return URL in the form in which browsers read it: `http://127.0.0.1\\@shop.example` is this machine here, but may be the
 * shop elsewhere. Undefined if it is not allowed.
 */
function returnUrlOf(text: string, app: App): string | undefined {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && isAllowed(url, app) ? url.href : undefined;
}

/** Which return URLs are allowed, and by which setting. */
const addressRule = ({ config }: App): string =>
  config.cards.returnHosts === undefined
    ? 'an address on the machine of the gateway, such as http://127.0.0.1/back: no other host is allowed (PAYOUTS_CARD_RETURN_HOSTS)'
    : 'https:// on a host that is allowed (PAYOUTS_CARD_RETURN_HOSTS), without a user or a password';

function isAllowed({ protocol, origin, host, hostname, href }: URL, app: App): boolean {
  const own = checkoutUrlOf(app);
  if (own !== undefined && new URL(own).origin === origin) return true;
  const { returnHosts: hosts } = app.config.cards;
  if (hosts === undefined) return (protocol === 'http:' || protocol === 'https:') && leadsHere(href);
  return protocol === 'https:' && (hosts.includes(host) || hosts.includes(hostname));
}

/** Clearly a name: anything else could be data of a card or its holder and is not shown. */
const PLAIN_NAME = /^[A-Za-z_]{1,32}$/;

/** A finding about a member of a body, by its path and without its value. Members of the card get the file `card`. */
function bodyFinding(path: readonly string[], rule: string, message: string): Finding {
  const [first, ...inner] = path;
  const place =
    first === 'card' && inner.length > 0
      ? { file: 'card', column: inner.join('.') }
      : { file: 'request', column: path.join('.') || null };
  return { ...place, line: 0, row: null, value: null, rule, message };
}

/** What a schema refuses in a body, one finding for each member. */
function schemaFindings(schema: z.ZodObject, given: unknown): Finding[] {
  const issues = schema.safeParse(given).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const names = namesAt(schema, path);
      return issue.keys.map((key) => unknownMember(key, path, names));
    }
    const rule = valueAt(given, path) === undefined ? 'member-missing' : 'member-invalid';
    return bodyFinding(path, rule, issue.message);
  });
}

function unknownMember(key: string, path: readonly string[], names: readonly string[]): Finding {
  const members = `The members are ${names.join(', ')}.`;
  if (!PLAIN_NAME.test(key)) {
    return bodyFinding(path, 'member-unknown', `contains an unknown member, whose name is not shown. ${members}`);
  }
  return bodyFinding([...path, key], 'member-unknown', `is unknown. ${members}`);
}

/** Read from what was given: zod would put it into its error, and card data belongs into none. */
const valueAt = (given: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((it, name) => (it as Record<string, unknown> | null | undefined)?.[name], given);

/** The members that an object in the body may have. */
function namesAt(schema: z.ZodObject, path: readonly string[]): string[] {
  const inner = path.reduce<z.ZodType>((it, name) => {
    const member = (it as z.ZodObject).shape[name] as z.ZodType;
    return 'unwrap' in member ? ((member as z.ZodOptional).unwrap() as z.ZodType) : member;
  }, schema);
  return Object.keys((inner as z.ZodObject).shape);
}

const CODES = ['usage', 'amount-refused', 'return-url-missing', 'return-url-refused', 'card-invalid'] as const;
type Code = (typeof CODES)[number];

const MESSAGES: Readonly<Record<Code, string>> = {
  usage: 'The request cannot be used.',
  'amount-refused': 'This amount cannot be used.',
  'return-url-missing': 'The return address of the cardholder is missing.',
  'return-url-refused': 'Cardholders may not be sent to this address.',
  'card-invalid': 'This card cannot be used.',
};

/** More would help nobody, and a body may consist of nothing but wrong members. */
const FINDINGS_MAX = 50;

/** Throws one `Problem` for all findings, with their common code or `usage`; returns if there are none. */
function assertNone(findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const codes = new Set(findings.map(codeOf));
  const [only = 'usage'] = codes;
  const code = codes.size === 1 ? only : 'usage';
  const message =
    codes.size === 1 ? MESSAGES[code] : `The card payment cannot be created: ${findings.length} findings.`;
  const hint = findings.some(({ file, column }) => file === 'card' || column === 'card')
    ? `Example of a card: ${CARD_EXAMPLE}`
    : 'The findings give the reasons; GET /openapi.json describes the request.';
  const inOrder = findings
    .toSorted((a, b) => Number(a.file === 'card') - Number(b.file === 'card'))
    .slice(0, FINDINGS_MAX);
  throw new Problem(code === 'card-invalid' ? 'invalid-input' : 'usage', code, message, { hint, findings: inOrder });
}

function codeOf({ file, rule }: Finding): Code {
  if (rule.startsWith('member-')) return 'usage';
  return CODES.find((code) => code === rule) ?? (file === 'card' ? 'card-invalid' : 'usage');
}
