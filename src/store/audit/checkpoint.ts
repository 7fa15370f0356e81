import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { membersOf } from './entry.ts';

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

/**
 * A checkpoint as a mail (RFC 5322) whose text is the note, and the name of its file, which is always the same for it.
 *
 * @param to a mail address; `at`: epoch ms
 */
export function checkpointMail({ origin, size, note }: SignedCheckpoint, to: string, at: number) {
  const id = `${origin.replace(/[^\w-]+/g, '.')}.${size}`;
  const lines = [
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `From: ${to}`,
    `To: ${to}`,
    `Subject: Audit checkpoint ${size} of ${origin}`,
    `Message-ID: <${id}@durable-payouts.invalid>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    ...note.split('\n'),
  ];
  return { name: `${id}.eml`, text: lines.join('\r\n') };
}

/** The note in the text of such a mail, without any headers that were added on the way. */
export function noteOfMail(mail: string): string {
  const [, ...body] = mail.replaceAll('\r\n', '\n').split('\n\n');
  return `${body.join('\n\n').trimEnd()}\n`;
}

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

/** Action and subject of the entry that replaces one key with another; its detail has `from` and `to`. */
export const KEY_ROTATED = 'audit key rotated';
export const KEY_SUBJECT = 'audit key';

/** An entry of the log that introduces a key. */
export interface Rotation {
  seq: number;
  /** The text of the leaf. */
  text: string;
  from: LogVerifier;
  to: LogVerifier;
}

/** Undefined for every other kind of entry. */
export function rotationIn({ seq, text }: { seq: number; text: string }): Rotation | undefined {
  if (!text.includes(`"action":"${KEY_ROTATED}"`)) return undefined;
  const { action, detail } = membersOf(text) as { action?: unknown; detail?: { from?: unknown; to?: unknown } };
  const [from, to] = [parseVerifier(`${detail?.from}`), parseVerifier(`${detail?.to}`)];
  return action === KEY_ROTATED && from !== undefined && to !== undefined ? { seq, text, from, to } : undefined;
}

/**
 * Which key signs the log at which size. A key succeeds another if an entry says so and the checkpoint that ends with this entry
 * is signed by both: only who has the previous key can introduce one. A reader who trusts one key of this chain trusts all of its
 * keys.
 */
export class LogKeys {
  readonly rotations: readonly Rotation[];
  readonly #first: LogVerifier;

  constructor(
    trusted: LogVerifier,
    signed: readonly Rotation[],
    checkpoints: readonly (SignedCheckpoint | { note: string })[],
  ) {
    const introduced: Rotation[] = [];
    for (const rotation of signed.toSorted((a, b) => a.seq - b.seq)) {
      const before = introduced.at(-1)?.to ?? rotation.from;
      if (isSame(before, rotation.from) && checkpoints.some((it) => isEndorsed(it, rotation)))
        introduced.push(rotation);
    }
    const first = introduced[0]?.from ?? trusted;
    const isKnown = [first, ...introduced.map(({ to }) => to)].some((key) => isSame(key, trusted));
    this.rotations = isKnown ? introduced : [];
    this.#first = isKnown ? first : trusted;
  }

  /** The key that signs a log of this size. */
  at(size: number): LogVerifier {
    return this.rotations.findLast(({ seq }) => seq < size)?.to ?? this.#first;
  }

  hasSigned(checkpoint: SignedCheckpoint): boolean {
    return isSignedBy(checkpoint, this.at(checkpoint.size));
  }
}

const isSame = (a: LogVerifier, b: LogVerifier): boolean => verifierText(a) === verifierText(b);

const isEndorsed = (checkpoint: SignedCheckpoint | { note: string }, { seq, from, to }: Rotation): boolean =>
  'root' in checkpoint && checkpoint.size === seq + 1 && isSignedBy(checkpoint, from) && isSignedBy(checkpoint, to);
