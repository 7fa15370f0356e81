import { createHash } from 'node:crypto';
import type { Credential, Statement } from '../domain/authority.ts';
import { statementBytes } from './statement.ts';

/**
 * Passkeys (WebAuthn Level 3) of people, used on the pages of the gateway. What one signs is kept as a `signature`: its client
 * data, authenticator data and signature, each base64url, with dots between them.
 */

/** What an authenticator answers a challenge with; members are base64url. */
export interface Assertion {
  /** Of the credential. */
  id: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

/** What a passkey is asked to sign for a statement: its SHA-256, base64url. */
export const challengeOf = (statement: Statement): string =>
  createHash('sha256').update(statementBytes(statement)).digest('base64url');

export const signatureOf = ({ response: { clientDataJSON, authenticatorData, signature } }: Assertion): string =>
  [clientDataJSON, authenticatorData, signature].join('.');

/**
 * Whether a passkey has signed a challenge on the pages of this origin, its holder verified by it (a fingerprint, a PIN). Its counter
 * is not looked at: passkeys that are kept on several devices have none.
 */
export async function isSignedByPasskey(
  { id, publicKey }: Credential,
  { origin, challenge, signature: signed }: { origin: string; challenge: string; signature: string },
): Promise<boolean> {
  const [clientDataJSON = '', authenticatorData = '', signature = ''] = signed.split('.');
  // Loaded for whoever meets a passkey: it would make every other command start later.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    });
    return verified;
  } catch {
    // It throws for each rule that an answer breaks.
    return false;
  }
}

/** The relying party that passkeys are made for: the host of the pages. */
export const rpIdOf = (origin: string): string => new URL(origin).hostname;
