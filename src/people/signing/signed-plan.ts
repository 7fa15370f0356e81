import { type Hash, type Inclusion, isIncluded, leafHash, WholeTree } from '../../store/audit/merkle.ts';

/** A decision about one payout; the digest is the one that a single signature for it would have. */
export interface PlanRow {
  reference: string;
  digest: string;
}

/**
 * The rows as a Merkle tree (RFC 6962): the signature of its root, together with the inclusion proof of a row, is valid for that
 * row. `digest` is what is signed, `inclusions` the proofs in the order of the rows.
 */
export function signablePlan(rows: readonly PlanRow[]): {
  digest: string;
  inclusions(): Iterable<PlanRow & Inclusion>;
} {
  const tree = new WholeTree(rows.map(leafOf));
  return {
    digest: digestOf(rows.length, tree.root),
    *inclusions() {
      for (const [index, row] of rows.entries()) yield { ...row, ...tree.inclusionOf(index) };
    },
  };
}

export function isRowOfPlan(digest: string, row: PlanRow, inclusion: Inclusion): boolean {
  const [, size = '', root = ''] = PLAN_DIGEST.exec(digest) ?? [];
  return isIncluded(leafOf(row), inclusion, { size: Number(size), root });
}

const leafOf = ({ reference, digest }: PlanRow): Hash => leafHash(JSON.stringify([reference, digest]));

/** Cannot be confused with the digest of a row. */
const digestOf = (size: number, root: Hash): string => `plan/${size}/${root}`;

const PLAN_DIGEST = /^plan\/(\d{1,9})\/([A-Za-z0-9+/]{43}=)$/;
