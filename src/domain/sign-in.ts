import { type Person, type Policy, type Readers, ROLES, type Role } from './authority.ts';
import { nameProblem } from './text.ts';

/**
 * Who signs in through an OpenID Connect provider: its claims say who somebody is and in which groups, and the policy what they may
 * do. A group alone gives reading, and nothing that moves or stops money.
 */

/** Of an ID token or the answer of the UserInfo endpoint (OpenID Connect Core 1.0, section 5.1). */
export type Claims = Readonly<Record<string, unknown>>;

/** Which claims count. */
export interface ClaimsAsked {
  /** Has one of the `identities` of a person. */
  claim: string;
  /** Has names of roles; undefined: all that the policy gives. */
  rolesClaim: string | undefined;
  /** Has names of groups that the policy may have as `readers`; undefined: groups count for nothing. */
  groupsClaim: string | undefined;
}

export interface SignedInPerson {
  person: Person;
  identity: string;
  /** What is left of the person's roles; undefined: all. */
  roles: readonly Role[] | undefined;
  /** By which the person reads, whom the policy does not name. */
  group?: string;
}

/** Whom of the policy the claims mean, or why nobody, as the end of a sentence. A claim of roles takes away and never adds. */
export function personOfClaims(
  { people, readers = [] }: Policy,
  claims: Claims,
  { claim, rolesClaim, groupsClaim }: ClaimsAsked,
): SignedInPerson | { refused: string; identity?: string } {
  const identity = claims[claim];
  if (typeof identity !== 'string' || identity === '') return { refused: `the provider does not show your ${claim}` };
  if (claim === 'email' && `${claims.email_verified}` !== 'true') {
    return { refused: 'the provider has not verified your address' };
  }
  const person = people.find(({ identities = [] }) => identities.includes(identity));
  if (person === undefined) {
    const groups = groupsClaim === undefined ? [] : [claims[groupsClaim]].flat();
    const reads = readers.find(({ group }) => groups.includes(group));
    const reader = reads && readerOf(reads, identity);
    if (reads === undefined || reader === undefined || nameProblem(reader.name) !== undefined)
      return { refused: 'this account belongs to nobody in the policy', identity };
    return { person: reader, identity, roles: undefined, group: reads.group };
  }
  if (rolesClaim === undefined) return { person, identity, roles: undefined };
  const given = [claims[rolesClaim]].flat();
  const roles = ROLES.filter((role) => person.roles.includes(role) && given.includes(role));
  if (roles.length > 0) return { person, identity, roles };
  return { refused: 'the provider gives you none of your roles in the policy', identity };
}

/** No person of a policy has a slash in their name, so that nobody can take one. */
const readerOf = ({ group, scope }: Readers, identity: string): Person => ({
  name: `${group}/${identity}`,
  roles: ['auditor'],
  scope,
  credentials: [],
  tokens: [],
});

/** The same later; undefined: the policy has the group no longer, or names the account now. */
export function readerNow(
  { people, readers = [] }: Policy,
  { group, identity }: { group: string; identity: string },
): Person | undefined {
  if (people.some(({ identities = [] }) => identities.includes(identity))) return undefined;
  const reads = readers.find((it) => it.group === group);
  return reads && readerOf(reads, identity);
}

/** Names of the claims that are asked for. */
export const neededClaims = ({ claim, rolesClaim, groupsClaim }: ClaimsAsked): string[] => [
  claim,
  ...(claim === 'email' ? ['email_verified'] : []),
  ...[rolesClaim, groupsClaim].filter((it) => it !== undefined),
];

/** A sign-in at the provider. What the provider calls somebody or something is kept as a hash. */
export interface SignIn {
  subject: string;
  /** Of the session there; null: the provider names none. */
  sid: string | null;
  /** Of the first ID token, epoch ms by the clock of the provider. */
  issuedAt: number;
}

/** A notice of the provider that sign-ins have ended there, by its `sid`, its `subject`, or both. */
export interface SignOut {
  /** Of the notice, which counts once. */
  id: string;
  subject: string | null;
  sid: string | null;
  issuedAt: number;
}

/** Without a session that both name, every sign-in of the subject until then (Back-Channel Logout 1.0, section 2.4). */
export const endsSignIn = ({ subject, sid, issuedAt }: SignOut, signIn: SignIn): boolean =>
  sid !== null && signIn.sid !== null ? sid === signIn.sid : subject === signIn.subject && issuedAt >= signIn.issuedAt;

const SIGNED_OUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * What a logout token says, whose signature, issuer, audience and time were verified, or why it is not one, as the end of a sentence
 * (Back-Channel Logout 1.0, section 2.6).
 */
export function signOutOfClaims(claims: Claims): SignOut | { refused: string } {
  const { jti, sub, sid, iat, events, nonce } = claims;
  const event = isObject(events) ? (events as Claims)[SIGNED_OUT_EVENT] : undefined;
  if (!isObject(event)) return { refused: 'it is not about a sign-out' };
  if (nonce !== undefined) return { refused: 'it has a nonce, as only an ID token may' };
  if (!isText(jti) || typeof iat !== 'number') return { refused: 'it has no id or no time' };
  if (!(isText(sub) || isText(sid))) return { refused: 'it names nobody' };
  return { id: jti, subject: isText(sub) ? sub : null, sid: isText(sid) ? sid : null, issuedAt: iat * 1_000 };
}
