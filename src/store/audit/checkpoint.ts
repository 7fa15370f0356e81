import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * Checkpoints of the log, as C2SP tlog-checkpoint and signed-note write them: origin, size and root on a line each, an empty
 * line, and a line for each signature. The key's name is the origin.
 */
interface Checkpoint {
  /** Name of the log. */
  origin: string;
  size: number;
  /** 32 bytes in base64. */
  root: string;
}

export interface SignedCheckpoint extends Checkpoint {
  /** The complete note, as it was written. */
  note: string;
}

const ED25519 = 0x01;
const SIGNATURE_START = '\u2014 ';
/** DER bytes before the 32 bytes of an Ed25519 public key (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Public key of a log, as a verifier key of signed-note: `NAME+KEYID+BASE64`. */
export interface LogVerifier {
  name: string;
  /** 4 bytes. */
  keyId: Buffer;
  key: KeyObject;
}

/** Signs with each of the keys; a reader checks the signatures of those that it knows. */
export function signCheckpoint(checkpoint: Checkpoint, ...privateKeys: readonly KeyObject[]): SignedCheckpoint {
  const text = textOf(checkpoint);
  const lines = privateKeys.map((privateKey) => {
    const { keyId } = verifierOf(checkpoint.origin, privateKey);
    const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString('base64');
    return `${SIGNATURE_START}${checkpoint.origin} ${signature}\n`;
  });
  return { ...checkpoint, note: `${text}\n${lines.join('')}` };
}

/** Does not check the signature. Undefined if the text is not a checkpoint. */
export function parseCheckpoint(note: string): SignedCheckpoint | undefined {
  const [, origin = '', size = '', root = ''] =
    /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n\n(?:\u2014 [^\n]+\n)+$/.exec(note) ?? [];
  return origin === '' ? undefined : { origin, size: Number(size), root, note };
}

/** The checkpoints of a file that they were appended to. A piece that is not a checkpoint has only `note`. */
export function parseCheckpoints(text: string): (SignedCheckpoint | { note: string })[] {
  const pieces = text.split(/(?<=\n\u2014 [^\n]*\n)(?!\u2014 )/).map((piece) => piece.replace(/^\n+/, ''));
  return pieces.filter((piece) => piece !== '').map((note) => parseCheckpoint(note) ?? { note });
}

export function isSignedBy(checkpoint: SignedCheckpoint, { name, keyId, key }: LogVerifier): boolean {
  if (checkpoint.origin !== name) return false;
  const text = Buffer.from(textOf(checkpoint));
  const lines = checkpoint.note.split('\n').filter((line) => line.startsWith(`${SIGNATURE_START}${name} `));
  return lines.some((line) => {
    const base64 = line.slice(line.lastIndexOf(' ') + 1);
    const bytes = Buffer.from(base64, 'base64');
    // The last character before the padding has two unused bits (RFC 4648, section 3.5): accept only one spelling of a signature.
    if (bytes.toString('base64') !== base64) return false;
    return bytes.length === 68 && bytes.subarray(0, 4).equals(keyId) && verify(null, text, key, bytes.subarray(4));
  });
}

/** For a private key: the verifier of its public half. */
export function verifierOf(name: string, key: KeyObject): LogVerifier {
  const publicKey = createPublicKey(key as Parameters<typeof createPublicKey>[0]);
  return { name, key: publicKey, keyId: keyIdOf(name, typedBytes(publicKey)) };
}

export const verifierText = ({ name, keyId, key }: LogVerifier): string =>
  `${name}+${keyId.toString('hex')}+${typedBytes(key).toString('base64')}`;

/** Undefined if the text is not an Ed25519 verifier key. */
export function parseVerifier(text: string): LogVerifier | undefined {
  const [, name = '', id = '', base64 = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 33 || bytes[0] !== ED25519) return undefined;
  const keyId = keyIdOf(name, bytes);
  if (keyId.toString('hex') !== id) return undefined;
  const der = Buffer.concat([SPKI_PREFIX, bytes.subarray(1)]);
  return { name, keyId, key: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
}

const textOf = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${root}\n`;

const keyIdOf = (name: string, typed: Buffer): Buffer =>
  createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4);

/** The type byte of the key, followed by its 32 bytes. */
const typedBytes = (key: KeyObject): Buffer =>
  Buffer.concat([Buffer.of(ED25519), key.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)]);
