import { tokenSha256 } from '../../../src/channels/http/callers.ts';
import type { Policy, Role, Scope } from '../../../src/domain/authority.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

const DAY_MS = 86_400_000;

/** A policy whose people have each a token of the same name; that of `expired` ones has ended. */
export function policyWithTokens(
  people: readonly [name: string, roles: Role[], scope?: Scope][],
  expired: readonly string[] = [],
): Policy {
  const policy = policyOf(people.map((it) => signingPerson(...it)));
  return {
    ...policy,
    people: policy.people.map((person) => {
      const expiresAt = Date.now() + (expired.includes(person.name) ? -1 : DAY_MS);
      return { ...person, tokens: [{ sha256: tokenSha256(person.name), expiresAt }] };
    }),
  };
}
