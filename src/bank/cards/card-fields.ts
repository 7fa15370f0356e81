/**
 * The one mapping between our names of card fields and the acquirer's. The interface (sections 2, 4 and 6) shows few of them:
 * each is read and written under our own name unless `PAYOUTS_CARD_FIELDS` says otherwise.
 *
 * A setting `amount` applies to every message, `create.amount` to that message only. Its value is one or more paths separated by
 * blanks: dots nest, reading takes the first path present, writing fills all, and an empty value omits the field.
 */

const CARD = ['card.number', 'card.expiry_month', 'card.expiry_year', 'card.cvv', 'card.holder_name'] as const;
const BILLING = [
  'billing.email',
  'billing.address.line1',
  'billing.address.line2',
  'billing.address.city',
  'billing.address.state',
  'billing.address.postcode',
  'billing.address.country',
] as const;
const DEVICE = [
  'device_info.ip',
  'device_info.language',
  'device_info.screen_width',
  'device_info.screen_height',
  'device_info.user_agent',
] as const;
const ORDER = ['merchant_request_id', 'payment_type', 'amount', 'currency'] as const;

/** Fields of each message: requests `setup`, `create` and `resume`, answers `session` and `payment`, events `webhook`. */
export const CARD_FIELDS = {
  setup: ['amount', 'currency', ...CARD],
  session: ['reference_id', 'data_collection_info'],
  create: [...ORDER, ...CARD, 'three_ds_info.reference_id', 'return_url', ...BILLING, ...DEVICE],
  resume: [...ORDER, 'payment_id', 'reference_id'],
  payment: [
    'payment_id',
    'payment_status',
    'next_action.type',
    'next_action.verify_url',
    'amount',
    'currency',
    'merchant_request_id',
  ],
  webhook: ['type', 'payment_id', 'payment_status', 'reference_id', 'merchant_request_id', 'amount', 'currency'],
} as const;

export type CardMessage = keyof typeof CARD_FIELDS;
type FieldOf<Message extends CardMessage> = (typeof CARD_FIELDS)[Message][number];
type Path = readonly string[];

/** Paths of every field of every message; empty for an omitted field. */
export type CardFields = { readonly [Message in CardMessage]: Readonly<Record<FieldOf<Message>, readonly Path[]>> };
type FieldPaths<Message extends CardMessage> = CardFields[Message];

/**
 * Section 4 shows `reference_id` on resume and, within `three_ds_info`, on create: a resume writes both. A sum that is shown may
 * be two members or one object.
 */
const OWN_PATHS: Readonly<Record<string, string>> = {
  'resume.reference_id': 'reference_id three_ds_info.reference_id',
  ...{ 'payment.amount': 'amount amount.value', 'payment.currency': 'currency amount.currency' },
  ...{ 'webhook.amount': 'amount amount.value', 'webhook.currency': 'currency amount.currency' },
};

/** Where an event may hold its fields. */
const WEBHOOK_PLACES = ['', 'data.', 'data.object.', 'payment.'];

/** Fields without which payments could not be distinguished or safely resent. */
const NEEDED = [
  'session.reference_id',
  'create.merchant_request_id',
  'create.amount',
  'create.card.number',
  'resume.merchant_request_id',
  'resume.payment_id',
  'payment.payment_id',
  'payment.payment_status',
  'webhook.payment_id',
  'webhook.payment_status',
];

const MESSAGES = Object.keys(CARD_FIELDS) as CardMessage[];
const REQUESTS = ['setup', 'create', 'resume'] as const;

/** All names allowed in a mapping. */
export const CARD_FIELD_NAMES: readonly string[] = [
  ...new Set(MESSAGES.flatMap((message) => CARD_FIELDS[message] as readonly string[])),
  ...MESSAGES.flatMap((message) => CARD_FIELDS[message].map((field) => `${message}.${field}`)),
];

/** The paths in force; requires a valid mapping (`cardFieldsProblem`). */
export function cardFields(mapping: Readonly<Record<string, string>> = {}): CardFields {
  const paths = (message: CardMessage, field: string): Path[] =>
    pathsIn(mapping[`${message}.${field}`] ?? general(mapping, message, field));
  const entries = MESSAGES.map((message) => [
    message,
    Object.fromEntries(CARD_FIELDS[message].map((field) => [field, paths(message, field)])),
  ]);
  return Object.fromEntries(entries) as CardFields;
}

function general(mapping: Readonly<Record<string, string>>, message: CardMessage, field: string): string {
  const everywhere = mapping[field] ?? OWN_PATHS[`${message}.${field}`] ?? field;
  if (message !== 'webhook') return everywhere;
  return WEBHOOK_PLACES.flatMap((place) => pathsIn(everywhere).map((path) => place + path.join('.'))).join(' ');
}

/** Problem of a mapping whose names are all known, without quoting its paths; undefined if it is valid. */
export function cardFieldsProblem(mapping: Readonly<Record<string, string>>): string | undefined {
  const crooked = Object.keys(mapping).find((name) => !pathsIn(mapping[name] ?? '').every(isPath));
  if (crooked !== undefined) return `${crooked} is not a path of member names separated by dots`;
  const fields = cardFields(mapping);
  const pathsOf = (message: CardMessage): [string, Path][] =>
    Object.entries<readonly Path[]>(fields[message]).flatMap(([field, paths]) =>
      paths.map((path): [string, Path] => [`${message}.${field}`, path]),
    );
  const present = new Set(MESSAGES.flatMap((message) => pathsOf(message).map(([name]) => name)));
  const missing = NEEDED.find((name) => !present.has(name));
  if (missing !== undefined) return `${missing} cannot be left out`;
  for (const message of REQUESTS) {
    const written = pathsOf(message);
    for (const [at, [name, path]] of written.entries()) {
      const other = written.find(([, candidate], place) => place !== at && covers(path, candidate));
      // Otherwise one of the two values would be lost unnoticed.
      if (other !== undefined) return `${name} and ${other[0]} are written to the same place`;
    }
  }
  return undefined;
}

/** A JSON object with each value at its paths; absent values are omitted. */
export function writeFields<Message extends CardMessage>(
  fields: FieldPaths<Message>,
  values: Partial<Record<FieldOf<Message>, string | number | undefined>>,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries<string | number | undefined>(values)) {
    if (value === undefined) continue;
    for (const path of fields[field as FieldOf<Message>]) put(body, path, value);
  }
  return body;
}

/** The first value present; null counts as absent. */
export function readValue(paths: readonly Path[], source: unknown): unknown {
  return paths.map((path) => at(source, path)).find((value) => value !== undefined && value !== null);
}

/** The first non-empty text or number present, as text; undefined if there is none. */
export function readText(paths: readonly Path[], source: unknown): string | undefined {
  const texts = paths
    .map((path) => at(source, path))
    .filter((value) => typeof value === 'string' || typeof value === 'number');
  return texts.map(String).find((text) => text !== '');
}

const pathsIn = (text: string): Path[] =>
  text
    .split(' ')
    .filter((path) => path !== '')
    .map((path) => path.split('.'));

/** A member `__proto__` would change the object instead of filling it. */
const isPath = (path: Path): boolean => path.every((member) => /^\S+$/.test(member) && member !== '__proto__');

const covers = (path: Path, other: Path): boolean => path.every((member, depth) => other[depth] === member);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const at = (source: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (place, member) => (isObject(place) && Object.hasOwn(place, member) ? place[member] : undefined),
    source,
  );

function put(body: Record<string, unknown>, path: Path, value: string | number): void {
  const last = path.at(-1) as string;
  let place = body;
  for (const member of path.slice(0, -1)) {
    const inner = Object.hasOwn(place, member) ? place[member] : {};
    place[member] = inner;
    place = inner as Record<string, unknown>;
  }
  place[last] = value;
}
