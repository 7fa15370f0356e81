import { isSignedBy, type LogVerifier, parseVerifier, type SignedCheckpoint, verifierText } from './checkpoint.ts';
import { membersOf } from './entry.ts';

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
 * is signed by both: only who has the previous key can introduce one. Whoever trusts one key of this chain trusts all of its
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
