import { describe, expect, it } from 'vitest';
import { EMPTY_ROOT, isIncluded, leafHash, MerkleTree, WholeTree } from '../../../src/store/audit/merkle.ts';

const leavesOf = (size: number): string[] => Array.from({ length: size }, (_, n) => leafHash(`leaf ${n}`));

describe('A proof of inclusion', () => {
  it('leads every leaf of a tree of every size to the root of RFC 6962, and to no other place, size or root', () => {
    for (let size = 1; size <= 70; size += 1) {
      const leaves = leavesOf(size);
      const whole = new WholeTree(leaves);
      const grown = new MerkleTree();
      for (const leaf of leaves) grown.append(leaf);
      const { root } = whole;
      expect(root).toBe(grown.root());
      for (const [index, leaf] of leaves.entries()) {
        const inclusion = whole.inclusionOf(index);
        expect(isIncluded(leaf, inclusion, { size, root })).toBe(true);
        expect(isIncluded(leafHash('another'), inclusion, { size, root })).toBe(false);
        expect(isIncluded(leaf, inclusion, { size, root: leafHash('another') })).toBe(false);
        expect(isIncluded(leaf, { ...inclusion, path: inclusion.path.slice(1) }, { size, root })).toBe(size === 1);
        expect(isIncluded(leaf, { ...inclusion, path: [...inclusion.path, leaf] }, { size, root })).toBe(false);
        for (const other of [index - 1, index + 1, size, -1, 0.5]) {
          expect(isIncluded(leaf, { ...inclusion, index: other }, { size, root })).toBe(false);
        }
      }
    }
  });

  it('is of the length that the tree has, and there is none of what is not in it', () => {
    const whole = new WholeTree(leavesOf(10_000));
    expect(whole.inclusionOf(4_711).path).toHaveLength(14);
    expect(() => whole.inclusionOf(10_000)).toThrow(RangeError);
    expect(new WholeTree([]).root).toBe(EMPTY_ROOT);
  });
});
