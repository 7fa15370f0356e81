import { type Person, type Policy, ROLES, type Role } from './authority.ts';

/** Who signs in through an OpenID Connect provider: its claims say who somebody is, and the policy alone what they may do. */

/** Of an ID token or the answer of the UserInfo endpoint (OpenID Connect Core 1.0, section 5.1). */
export type Claims = Readonly<Record<string, unknown>>;

/** Which claims count. */
export interface ClaimsAsked {
  /** Has one of the `identities` of a person. */
  claim: string;
  /** Has names of roles; undefined: all that the policy gives. */
  rolesClaim: string | undefined;
}

export interface SignedInPerson {
  person: Person;
  identity: string;
  /** What is left of the person's roles; undefined: all. */
  roles: readonly Role[] | undefined;
}

/** Whom of the policy the claims mean, or why nobody, as the end of a sentence. A claim of roles takes away and never adds. */
export function personOfClaims(
  { people }: Pick<Policy, 'people'>,
  claims: Claims,
  { claim, rolesClaim }: ClaimsAsked,
): SignedInPerson | { refused: string; identity?: string } {
  const identity = claims[claim];
  if (typeof identity !== 'string' || identity === '') return { refused: `the provider does not show your ${claim}` };
  if (claim === 'email' && `${claims.email_verified}` !== 'true') {
    return { refused: 'the provider has not verified your address' };
  }
  const person = people.find(({ identities = [] }) => identities.includes(identity));
  if (person === undefined) return { refused: 'this account belongs to nobody in the policy', identity };
  if (rolesClaim === undefined) return { person, identity, roles: undefined };
  const given = [claims[rolesClaim]].flat();
  const roles = ROLES.filter((role) => person.roles.includes(role) && given.includes(role));
  if (roles.length > 0) return { person, identity, roles };
  return { refused: 'the provider gives you none of your roles in the policy', identity };
}

/** Names of the claims that are asked for. */
export const neededClaims = ({ claim, rolesClaim }: ClaimsAsked): string[] => [
  claim,
  ...(claim === 'email' ? ['email_verified'] : []),
  ...(rolesClaim === undefined ? [] : [rolesClaim]),
];
