import { createPrivateKey, type KeyObject } from 'node:crypto';

/** @throws TypeError if it is not a private Ed25519 key; the message repeats none of the input */
export function ed25519Key(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Its message may repeat the input.
  }
  throw new TypeError('is not a private Ed25519 key in PEM (PKCS #8)');
}
