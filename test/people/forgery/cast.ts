import { tokenSha256 } from '../../../src/channels/http/callers.ts';
import type { Credential, Policy, Role, Scope } from '../../../src/domain/authority.ts';
import { credentialId } from '../../../src/people/signing/signing.ts';
import { policyOf, type SigningPerson, signingPerson } from '../../support/people.ts';
import { type SoftwarePasskey, softwarePasskey } from '../../support/software-passkey.ts';

const DAY_MS = 86_400_000;

export type Name = 'alice' | 'anna' | 'bob' | 'carol' | 'dave' | 'erin' | 'zoe' | 'mallory';

/** Somebody with a key, a passkey and a token, under any policy. */
interface Player extends SigningPerson {
  name: Name;
  passkey: SoftwarePasskey;
  token: string;
}

const PLAYERS: readonly [name: Name, roles: Role[], scope?: Scope][] = [
  ['alice', ['maker', 'approver']],
  ['anna', ['maker'], { currencies: ['EUR'] }],
  ['bob', ['approver']],
  ['carol', ['approver']],
  ['dave', ['approver'], { currencies: ['JPY'] }],
  ['erin', ['operator', 'auditor']],
  ['zoe', ['maker', 'operator']],
  // Of no policy.
  ['mallory', ['maker', 'approver', 'operator']],
];

export type Cast = Readonly<Record<Name, Player>>;

/**
 * Alice hands over, bob and carol approve, erin operates. Anna and dave are out of scope, zoe has left her token to expire,
 * mallory is a stranger.
 */
export function openCast(): Cast {
  const players = PLAYERS.map(([name, roles, scope]): [Name, Player] => {
    const person = signingPerson(name, roles, scope);
    return [name, { ...person, name, passkey: softwarePasskey(), token: `token-of-${name}-${'x'.repeat(32)}` }];
  });
  return Object.fromEntries(players) as unknown as Cast;
}

/** Two people approve each payout, before it is sent and at the bank; large ones ask for themselves. */
export const policyFor = (cast: Cast, origin?: string): Policy => {
  const people = Object.values(cast).filter(({ name }) => name !== 'mallory');
  const { people: known, ...policy } = policyOf(people, {
    origin,
    approvals: [
      { approvals: 2, where: 'both' },
      { currency: 'USD', amountAtLeast: '200', alone: true, approvals: 2 },
    ],
  });
  return {
    ...policy,
    people: known.map((person) => {
      const { passkey, token } = cast[person.name as Name];
      const expiresAt = Date.now() + (person.name === 'zoe' ? -1 : DAY_MS);
      const credentials: Credential[] = [...person.credentials, passkey.credential];
      return { ...person, credentials, tokens: [{ sha256: tokenSha256(token), expiresAt }] };
    }),
  };
};

/** A policy that mallory has written: everybody's name, and only keys of mallory's. */
export const policyOfMallory = (cast: Cast): Policy =>
  policyOf(Object.values(cast).map((person) => ({ ...person, ...keysOf(cast.mallory), roles: cast.mallory.roles })));

const keysOf = ({ privateKey, publicKey }: SigningPerson) => ({ privateKey, publicKey });

export const ed25519Id = ({ publicKey }: SigningPerson): string => credentialId(publicKey);
