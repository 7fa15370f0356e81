import { describe, expect, it } from 'vitest';
import { EMPTY_ROOT, type Hash, leafHash, MerkleTree, nodeHash } from '../../../src/store/audit/merkle.ts';

/** The test vectors that logs of Certificate Transparency share: leaves in hex, and the root after each. */
const VECTORS = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
] as const;

const hex = (hash: Hash): string => Buffer.from(hash, 'base64').toString('hex');

/** The definition of RFC 6962, section 2.1, word for word. */
function rootOf(leaves: readonly string[]): Hash {
  const [only] = leaves;
  if (only === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return leafHash(only);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

describe('The Merkle tree', () => {
  it('has the roots of the shared test vectors', () => {
    const tree = new MerkleTree();
    expect(hex(tree.root())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    for (const [leaf, root] of VECTORS) {
      tree.append(leafHash(Buffer.from(leaf, 'hex').toString('latin1')));
      expect(hex(tree.root())).toBe(root);
    }
  });

  it('has the root of the definition at every size, and goes on from its edge', () => {
    const leaves = Array.from({ length: 130 }, (_, n) => `leaf ${n}`);
    let tree = new MerkleTree();
    for (const [n, leaf] of leaves.entries()) {
      tree.append(leafHash(leaf));
      expect(tree.root()).toBe(rootOf(leaves.slice(0, n + 1)));
      tree = new MerkleTree({ size: tree.size, edge: tree.edge });
    }
  });

  it('takes no edge that is of another size', () => {
    expect(() => new MerkleTree({ size: 3, edge: [leafHash('a')] })).toThrow(RangeError);
    expect(() => new MerkleTree({ size: -1, edge: [] })).toThrow(RangeError);
  });
});
