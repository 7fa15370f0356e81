import { hash } from 'node:crypto';
import type { Credential, Statement } from '../../domain/authority.ts';
import { statementBytes } from './statement.ts';

/**
 * Passkeys (WebAuthn Level 3) of people, for the gateway's pages. A stored `signature` consists of client data, authenticator
 * data and signature, each in base64url, separated by dots.
 */

/** An authenticator's answer to a challenge; members are base64url. */
export interface Assertion {
  /** Id of the credential. */
  id: string;
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}

/** The challenge for a statement: its SHA-256, base64url. */
export const challengeOf = (statement: Statement): string => hash('sha256', statementBytes(statement), 'base64url');

export const signatureOf = ({ response: { clientDataJSON, authenticatorData, signature } }: Assertion): string =>
  [clientDataJSON, authenticatorData, signature].join('.');

/**
 * Whether a passkey has signed a challenge on the pages of this origin, with user verification (a fingerprint, a PIN). The
 * signature counter is ignored: passkeys synchronized between devices have none.
 */
export async function isSignedByPasskey(
  { id, publicKey }: Credential,
  { origin, challenge, signature: signed }: { origin: string; challenge: string; signature: string },
): Promise<boolean> {
  const [clientDataJSON = '', authenticatorData = '', signature = ''] = signed.split('.');
  // Loaded when needed: it would slow down the start of every other command.
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
    // The library throws for every broken rule.
    return false;
  }
}

export const rpIdOf = (origin: string): string => new URL(origin).hostname;
