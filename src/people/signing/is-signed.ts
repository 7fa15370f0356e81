import type { Policy, SignedDecision } from '../../domain/authority.ts';
import { verifyStatement } from './ed25519.ts';
import { challengeOf, isSignedByPasskey } from './passkey.ts';

/** Whether the person named by a decision has signed it, with one of their credentials in the policy. */
export async function isSigned({ people, origin }: Policy, signed: SignedDecision): Promise<boolean> {
  const person = people.find(({ name }) => name === signed.subject);
  const credential = person?.credentials.find(({ id }) => id === signed.credential);
  if (credential === undefined) return false;
  const { signature } = signed;
  if (credential.type === 'ed25519') return verifyStatement(signed, credential.publicKey, signature);
  if (origin === undefined) return false;
  return isSignedByPasskey(credential, { origin, challenge: challengeOf(signed), signature });
}
