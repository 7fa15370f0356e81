import { hash } from 'node:crypto';
import { z } from 'zod';
import { JsonRefused, readJsonOnce } from '../bank/json.ts';
import {
  type Limit,
  type Person,
  type Policy,
  type Readers,
  ROLES,
  type Scope,
  type Substitute,
} from '../domain/authority.ts';
import { parseDecimal } from '../domain/money.ts';
import { PAYOUT_KINDS, type PayoutKind } from '../domain/names.ts';
import { quotesProblem } from '../domain/plain-text.ts';
import type { ApprovalRule } from '../domain/policy.ts';
import { DAY_MS, HOUR_MS } from '../domain/time.ts';
import { areLookAlikes, mixesAlphabets } from './payee-flags.ts';
import { credentialId, isPublicKey } from './signing/signing.ts';

/** The policy file: who may move money, in JSON, version 1. Unknown members are refused: a misspelled one would be lost. */

/** What the file says of each member: one that is named nowhere, and would bind nobody, does not compile. */
type Said<Type> = Record<keyof Type, z.ZodType>;

const name = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@'-]{0,63}$/u, {
  error: "is not a name of letters, digits, spaces and . _ @ ' -",
});
const ids = z.array(z.string().min(1)).min(1, { error: 'is empty; leave it out for all' });
const kinds = z.array(z.enum(PAYOUT_KINDS)).min(1, { error: `is empty; leave it out for ${PAYOUT_KINDS.join(', ')}` });
const currency = z.string().regex(/^[A-Z]{3}$/, { error: 'is not a currency such as EUR' });
const amount = z.string().refine((text) => !text.startsWith('-') && parseDecimal(text) !== undefined, {
  error: 'is not a decimal in quotes such as "12.50"',
});

/** WebAuthn needs a host name, and allows http only for this machine. */
const isOrigin = (text: string): boolean => {
  const { protocol, hostname, origin } = URL.parse(text) ?? {};
  if (origin !== text || hostname === undefined || /^[\d.]+$|^\[/.test(hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
};

/** A COSE key is a CBOR map whose first member is the key type. */
const isCoseKey = (text: string): boolean => {
  const [map = 0, kind] = Buffer.from(text, 'base64url');
  return map >= 0xa3 && map <= 0xa6 && kind === 1;
};

const base64url = z.string().regex(/^[\w-]{16,1400}$/, { error: 'is not base64url as the page /passkey shows it' });

const date = z.iso.date({ error: 'is not a date such as 2027-03-31' });

const scope = z.strictObject({
  kinds: kinds.optional(),
  uids: ids.optional(),
  accounts: ids.optional(),
  currencies: z.array(currency).min(1).optional(),
} satisfies Said<Scope>);

const readers = z.strictObject({ group: z.string().trim().min(1).max(128), scope } satisfies Said<Readers>);

const person = z.strictObject({
  name,
  roles: z.array(z.enum(ROLES)).min(1, { error: `needs at least one of ${ROLES.join(', ')}` }),
  scope,
  keys: z
    .array(
      z.string().refine(isPublicKey, { error: 'is not an Ed25519 public key as `payouts policy key FILE` prints it' }),
    )
    .default([]),
  unsigned: z.boolean().optional(),
  identities: z.array(z.string().trim().min(1).max(255)).default([]),
  passkeys: z
    .array(
      z.strictObject({
        id: base64url,
        publicKey: base64url.refine(isCoseKey, { error: 'is not a public key as the page /passkey shows it' }),
      }),
    )
    .default([]),
  tokens: z
    .array(
      z.strictObject({
        sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: 'is not a SHA-256 as `payouts policy token` prints it' }),
        expires: date,
      }),
    )
    .default([]),
});

const per = z.enum(['day', 'payee', 'account']);
const hours = z.int().min(1).max(2_160, { error: 'is more than 2160 (90 days)' });

const substitute = z
  .strictObject({ name, for: name, from: date, until: date })
  .refine(({ from, until }) => from <= until, { error: 'ends before it begins' });

const approval = z
  .strictObject({
    kinds: kinds.optional(),
    currency: currency.optional(),
    amountAtLeast: amount.optional(),
    newPayee: z.boolean().optional(),
    changedPayee: z.boolean().optional(),
    account: z.string().min(1).optional(),
    per: per.optional(),
    hours: hours.optional(),
    where: z.enum(['before-submit', 'at-bank', 'both']).default('before-submit'),
    alone: z.boolean().optional(),
    approvals: z.int().min(1).max(10),
  } satisfies Said<ApprovalRule>)
  .refine((rule) => rule.amountAtLeast === undefined || rule.currency !== undefined, {
    error: 'has amountAtLeast without a currency',
  })
  .refine((rule) => rule.per === undefined || rule.amountAtLeast !== undefined, {
    error: 'has per without amountAtLeast: there is nothing to add up to',
  })
  .refine((rule) => rule.hours === undefined || rule.per !== undefined, { error: 'has hours without per' })
  .refine((rule) => rule.per === undefined || (rule.where === 'before-submit' && rule.alone !== true), {
    error: 'has per: it counts before the order is sent only, and not with alone',
  });

const limit = z.strictObject({
  per,
  hours: hours.optional(),
  kinds: kinds.optional(),
  currency,
  amount,
} satisfies Said<Limit>);

export const POLICY_FILE = z.strictObject({
  version: z.literal(1, { error: 'must be 1, the only version' }),
  origin: z
    .string()
    .refine(isOrigin, { error: 'is not an address such as "https://payouts.example.com": https, a host name, no path' })
    .optional(),
  people: z.array(person).min(1, { error: 'names nobody' }),
  substitutes: z.array(substitute).default([]),
  readers: z.array(readers).default([]),
  approvals: z.array(approval).default([]),
  approvalHours: z.int().min(1).max(8_760).default(72),
  limits: z.array(limit).default([]),
  holdDuplicates: z.boolean().optional(),
});

/** The parser's message gives the place and shows a piece of the text, which is fine: a policy contains no secrets. */
function wordsOf(text: string, refused: unknown): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return (error as SyntaxError).message;
  }
  return refused instanceof JsonRefused ? refused.message : 'it cannot be read';
}

/** A policy, or what is wrong with its text: a sentence with place and rule for each problem. */
type PolicyRead = { policy: Policy } | { problems: string[] };

export function parsePolicy(text: string): PolicyRead {
  let json: unknown;
  try {
    json = readJsonOnce(text);
  } catch (error) {
    return { problems: [`the file is not JSON: ${quotesProblem(text) ?? wordsOf(text, error)}`] };
  }
  const { data, error } = POLICY_FILE.safeParse(json);
  if (error !== undefined) {
    return { problems: error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`) };
  }
  const { approvalHours, approvals, limits, origin, holdDuplicates } = data;
  const substitutes = data.substitutes.map(({ from, until, ...who }) => ({
    ...who,
    from: Date.parse(from),
    until: Date.parse(until) + DAY_MS,
  }));
  const people = data.people.map(({ keys, passkeys, tokens, ...rest }): Person => {
    const credentials = [
      ...keys.map((publicKey) => ({ id: credentialId(publicKey), type: 'ed25519' as const, publicKey })),
      ...passkeys.map((passkey) => ({ type: 'passkey' as const, ...passkey })),
    ];
    const kept = tokens.map(({ sha256, expires }) => ({ sha256, expiresAt: Date.parse(expires) + DAY_MS }));
    return { ...rest, credentials, tokens: kept };
  });
  const problems = [
    ...mixed(people),
    ...alike(people),
    ...sharedKeys(people),
    ...unreachable(people, approvals),
    ...homeless(people, origin),
    ...(data.readers.length > 0 && origin === undefined ? [READERS_HOMELESS] : []),
    ...vouchedFor(people),
    ...unable(people, substitutes),
  ];
  if (problems.length > 0) return { problems };
  const policy: { [Name in keyof Required<Policy>]: Policy[Name] } = {
    hash: hash('sha256', text),
    text,
    origin,
    people,
    substitutes,
    readers: data.readers,
    approvals,
    approvalTtlMs: approvalHours * HOUR_MS,
    limits,
    holdDuplicates,
  };
  return { policy };
}

/** A name that mixes alphabets can look like another one. */
const mixed = (people: readonly Person[]): string[] =>
  people.flatMap(({ name }, index) =>
    mixesAlphabets(name)
      ? [`people.${index}.name: mixes letters of several alphabets, such as Latin and Cyrillic; write it in one`]
      : [],
  );

/** With names that readers confuse, one person could count as two. */
function alike(people: readonly Person[]): string[] {
  return people.flatMap(({ name: later }, index) => {
    const earlier = people.slice(0, index).findIndex((other) => areLookAlikes(other.name, later));
    return earlier < 0 ? [] : [`people.${index}.name: looks like people.${earlier}.name; use clearly different names`];
  });
}

/** A person with the keys of two people would count as both. */
function sharedKeys(people: readonly Person[]): string[] {
  const holders = new Map<string, number>();
  const problems = people.flatMap(({ credentials, tokens, identities }, index) =>
    [
      ...credentials.flatMap(({ id, publicKey }) => [id, publicKey]),
      ...tokens.map(({ sha256 }) => sha256),
      ...(identities ?? []),
    ].flatMap((key) => {
      const other = holders.get(key);
      holders.set(key, index);
      return other === undefined
        ? []
        : [
            `people.${index}.keys: has a key, token or identity that people.${other} has too; each belongs to one person`,
          ];
    }),
  );
  return [...new Set(problems)];
}

/** A rule that nobody can fulfil would hold its payouts for ever. */
function unreachable(people: readonly Person[], approvals: readonly ApprovalRule[]): string[] {
  const approvers = people.filter(({ roles, credentials }) => roles.includes('approver') && credentials.length > 0);
  const able = (kind: PayoutKind): number =>
    approvers.filter(({ scope }) => scope.kinds?.includes(kind) ?? true).length;
  return approvals.flatMap(({ kinds: about, approvals: asked }, index) => {
    const fewest = about === undefined ? approvers.length : Math.min(...about.map(able));
    return asked <= fewest
      ? []
      : [
          `approvals.${index}.approvals: requires ${asked === 1 ? '1 person' : `${asked} people`}, but ${fewest === 0 ? 'nobody' : `only ${fewest}`} can approve with a key`,
        ];
  });
}

/** A substitute must be known, able to sign, and somebody else. */
function unable(people: readonly Person[], substitutes: readonly Substitute[]): string[] {
  return substitutes.flatMap(({ name, for: whom }, index) => {
    const about = (problem: string): string[] => [`substitutes.${index}: ${problem}`];
    const [person, away] = [name, whom].map((it) => people.find((other) => other.name === it));
    if (person === undefined || away === undefined) return about('names somebody who is not among people');
    if (person === away) return about('names one person twice');
    if (person.credentials.length === 0) return about(`${name} has no key, and cannot decide`);
    const decides = away.roles.some((role) => role === 'approver' || role === 'compliance');
    return decides ? [] : about(`${whom} decides nothing: only an approver or compliance has a substitute`);
  });
}

/** What nobody signs for would be paid on the word of the sign-in provider alone. */
const vouchedFor = (people: readonly Person[]): string[] =>
  people.flatMap(({ unsigned, identities = [] }, index) =>
    unsigned === true && identities.length > 0
      ? [
          `people.${index}.identities: are set together with unsigned, which is for programs; give people a name of their own`,
        ]
      : [],
  );

const READERS_HOMELESS = 'origin: is missing, but readers sign in to the pages; set it to the address of the pages';

/** A passkey belongs to the pages of one origin, and the sign-in provider leads back to it. */
function homeless(people: readonly Person[], origin: string | undefined): string[] {
  const index = people.findIndex(
    ({ credentials, identities = [] }) => identities.length > 0 || credentials.some(({ type }) => type === 'passkey'),
  );
  return origin !== undefined || index < 0
    ? []
    : [`origin: is missing, but people.${index} signs in to the pages; set it to the address of the pages`];
}
