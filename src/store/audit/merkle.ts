import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962, section 2.1: SHA-256, with the prefix 0x00 for a leaf and 0x01 for a pair of nodes. A hash is its
 * 32 bytes in base64: for a million hashes, strings cost a third of the time of buffers.
 */
export type Hash = string;

export const EMPTY_ROOT: Hash = hash('sha256', '', 'base64');

/** The leaf is hashed as UTF-8, in which the prefix 0x00 is U+0000. */
export const leafHash = (leaf: string): Hash => hash('sha256', `\0${leaf}`, 'base64');

const node = Buffer.alloc(65, 0x01);

export function nodeHash(left: Hash, right: Hash): Hash {
  node.write(left, 1, 'base64');
  node.write(right, 33, 'base64');
  return hash('sha256', node, 'base64');
}

/** All that is needed to append to a tree: its size, and the roots of its full subtrees, the largest first. */
export interface TreeState {
  size: number;
  edge: readonly Hash[];
}

/** An append-only tree. Memory, and hashes per leaf, are O(log n). */
export class MerkleTree {
  #size: number;
  readonly #edge: Hash[];

  /** @throws RangeError if size and edge do not fit together: there is one full subtree for each bit of the size */
  constructor({ size, edge }: TreeState = { size: 0, edge: [] }) {
    if (!Number.isSafeInteger(size) || size < 0 || edge.length !== bitsOf(size)) {
      throw new RangeError('the size of the tree and its edge do not fit together');
    }
    this.#size = size;
    this.#edge = [...edge];
  }

  get size(): number {
    return this.#size;
  }

  get edge(): readonly Hash[] {
    return this.#edge;
  }

  append(leaf: Hash): void {
    let right = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      const left = this.#edge.pop();
      if (left !== undefined) right = nodeHash(left, right);
    }
    this.#edge.push(right);
    this.#size += 1;
  }

  root(): Hash {
    const [last, ...others] = this.#edge.toReversed();
    return last === undefined ? EMPTY_ROOT : others.reduce((right, left) => nodeHash(left, right), last);
  }
}

const bitsOf = (size: number): number => size.toString(2).replaceAll('0', '').length;

/** The position of a leaf in a tree, and the hashes beside its way to the root: the audit path of RFC 6962, section 2.1.1. */
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
