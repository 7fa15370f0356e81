import { EMPTY_ROOT, type Hash, nodeHash } from './merkle.ts';

/** Where a leaf stands in a tree, and the hashes beside its way to the root: the audit path of RFC 6962, section 2.1.1. */
export interface Inclusion {
  /** From 0. */
  index: number;
  path: readonly Hash[];
}

/** A complete tree: its root, and for each leaf the proof that it is included. Keeps about two hashes in memory for each leaf. */
export class WholeTree {
  /** Leaves first, the root last. A node without a right sibling is carried up unchanged. */
  readonly #levels: Hash[][];

  constructor(leaves: readonly Hash[]) {
    this.#levels = [[...leaves]];
    for (let level = this.#levels[0] ?? []; level.length > 1; ) {
      level = Array.from({ length: Math.ceil(level.length / 2) }, (_, n) => joined(level[2 * n], level[2 * n + 1]));
      this.#levels.push(level);
    }
  }

  get root(): Hash {
    return this.#levels.at(-1)?.[0] ?? EMPTY_ROOT;
  }

  /** @throws RangeError if the tree has no such leaf */
  inclusionOf(index: number): Inclusion {
    if (this.#levels[0]?.[index] === undefined) throw new RangeError('the tree has no such leaf');
    const path = this.#levels.map((level, height) => level[Math.floor(index / 2 ** height) ^ 1]);
    return { index, path: path.filter((hash) => hash !== undefined) };
  }
}

const joined = (left: Hash = EMPTY_ROOT, right?: Hash): Hash => (right === undefined ? left : nodeHash(left, right));

/** Whether the leaf is at this index of the tree with this size and root (RFC 9162, section 2.1.3.2). */
export function isIncluded(
  leaf: Hash,
  { index, path }: Inclusion,
  { size, root }: { size: number; root: Hash },
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [place, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return false;
    // A node without a right sibling is carried up to the level where it has a left one.
    if (place === last) {
      while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
    }
    hash = place % 2 === 1 ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash === root;
}
