import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962, section 2.1: SHA-256, 0x00 before a leaf, 0x01 before two nodes. A hash is its 32 bytes in base64:
 * texts cost a third of the time that buffers do, for a million of them.
 */
export type Hash = string;

export const EMPTY_ROOT: Hash = hash('sha256', '', 'base64');

/** A text is hashed as UTF-8, in which the prefix is U+0000. */
export const leafHash = (leaf: string): Hash => hash('sha256', `\0${leaf}`, 'base64');

const node = Buffer.alloc(65, 0x01);

export function nodeHash(left: Hash, right: Hash): Hash {
  node.write(left, 1, 'base64');
  node.write(right, 33, 'base64');
  return hash('sha256', node, 'base64');
}

/** What of a tree is needed to go on: its size, and the roots of its full subtrees, the largest first. */
export interface TreeState {
  size: number;
  edge: readonly Hash[];
}

/** A tree that leaves are appended to, in O(log n) memory and hashes each. */
export class MerkleTree {
  #size: number;
  readonly #edge: Hash[];

  /** @throws RangeError when size and edge are of no tree: a tree has a full subtree for each bit of its size */
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
