import { type Inclusion, isIncluded, WholeTree } from '../audit/inclusion.ts';
import { type Hash, leafHash } from '../audit/merkle.ts';

/** What is decided about one payout: the digest is what a signature for it alone would name. */
export interface PlanRow {
  reference: string;
  digest: string;
}

/** What one signature for many payouts names, and where each row is in it. */
export interface SignablePlan {
  digest: string;
  /** In the order of the rows. */
  inclusions(): Iterable<PlanRow & Inclusion>;
}

/** The rows as a Merkle tree (RFC 6962): the signature over its root counts for a row together with the proof that it is in it. */
export function signablePlan(rows: readonly PlanRow[]): SignablePlan {
  const tree = new WholeTree(rows.map(leafOf));
  return {
    digest: digestOf(rows.length, tree.root),
    *inclusions() {
      for (const [index, row] of rows.entries()) yield { ...row, ...tree.inclusionOf(index) };
    },
  };
}

/** Whether a row is one of those that a signed digest stands for. */
export function isPlanned(digest: string, row: PlanRow, inclusion: Inclusion): boolean {
  const [, size = '', root = ''] = PLAN_DIGEST.exec(digest) ?? [];
  return isIncluded(leafOf(row), inclusion, { size: Number(size), root });
}

const leafOf = ({ reference, digest }: PlanRow): Hash => leafHash(JSON.stringify([reference, digest]));

/** No digest of a row looks like it. */
const digestOf = (size: number, root: Hash): string => `plan/${size}/${root}`;

const PLAN_DIGEST = /^plan\/(\d{1,9})\/([A-Za-z0-9+/]{43}=)$/;
