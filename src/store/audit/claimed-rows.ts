import { leafHash, MerkleTree } from './merkle.ts';

/**
 * The rows of a batch as they were claimed, in their order: the root of a Merkle tree (RFC 6962) whose leaves are
 * `["REFERENCE","DIGEST"]`, the digest that of the instruction.
 */
export class ClaimedRows {
  readonly #tree = new MerkleTree();

  add({ reference, payloadDigest }: { reference: string; payloadDigest: string }): void {
    this.#tree.append(leafHash(JSON.stringify([reference, payloadDigest])));
  }

  /** 32 bytes in base64. */
  root(): string {
    return this.#tree.root();
  }
}
