import { randomUUID } from 'node:crypto';
import type { Policy, Role, Scope, SignedDecision, Statement } from '../../src/domain/authority.ts';
import type { WorkerSettings } from '../../src/domain/settings.ts';
import { credentialId, newKey, signStatement } from '../../src/people/signing/signing.ts';
import { loadConfig } from '../../src/platform/config.ts';

/** People of a policy who can sign. */
export interface SigningPerson {
  name: string;
  roles: readonly Role[];
  scope?: Scope;
  privateKey: string;
  publicKey: string;
}

export const signingPerson = (name: string, roles: readonly Role[], scope?: Scope): SigningPerson => ({
  name,
  roles,
  scope,
  ...newKey(),
});

export function policyOf(people: readonly SigningPerson[], more: Partial<Policy> = {}): Policy {
  return {
    hash: 'test',
    text: '',
    people: people.map(({ name, roles, scope = {}, publicKey }) => ({
      name,
      roles,
      scope,
      // Most tests are not about what makers sign.
      unsigned: true,
      credentials: [{ id: credentialId(publicKey), type: 'ed25519', publicKey }],
      tokens: [],
    })),
    approvals: [],
    approvalTtlMs: 3_600_000,
    limits: [],
    ...more,
  };
}

const DEFAULTS = loadConfig({}).settings;

/** The default settings, under a policy. */
export const settingsUnder = (policy: Policy): WorkerSettings => ({ ...DEFAULTS, policy });

/** What a person signs, as of now unless it says otherwise. */
export function signedBy(
  person: SigningPerson,
  about: Pick<Statement, 'storeId' | 'question' | 'reference' | 'digest'> & Partial<Statement>,
): SignedDecision {
  const signedAt = Date.now();
  const statement: Statement = {
    id: randomUUID(),
    decision: 'approve',
    subject: person.name,
    remark: '',
    signedAt,
    expiresAt: signedAt + 600_000,
    ...about,
  };
  return signStatement(statement, person.privateKey);
}
