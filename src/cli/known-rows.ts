import type { Finding } from '../erp/finding.ts';
import type { ClaimRow, KnownClaim, Store } from '../store/store.ts';

/** What a file's rows are to the store. */
export interface KnownRows {
  fresh: ClaimRow[];
  known: KnownClaim[];
  /** Rows known with another payload. */
  reused: Finding[];
  /** Rows known as they are, as findings that name the earlier batch. */
  taken: Finding[];
}

/** Sorts a file's rows into new ones, known ones and misused ones. `line` of a row is its place in the file. */
export async function sortRows(
  store: Store,
  file: string,
  rows: readonly ClaimRow[],
  lineOf: (row: number) => number,
): Promise<KnownRows> {
  const known = await store.knownClaims(rows);
  const knownRows = new Set(known.map(({ row }) => row));
  const finding = (claim: KnownClaim, rule: string, message: string): Finding => ({
    file,
    line: lineOf(claim.row),
    row: claim.row,
    column: 'id',
    value: rows.find(({ row }) => row === claim.row)?.instruction.id ?? null,
    rule,
    message,
  });
  const whose = ({ batchId }: KnownClaim): string =>
    batchId === null ? 'a payout started by itself' : `batch ${batchId}`;
  return {
    fresh: rows.filter(({ row }) => !knownRows.has(row)),
    known,
    reused: known
      .filter(({ samePayload }) => !samePayload)
      .map((claim) =>
        finding(
          claim,
          'id-reused',
          `this id was taken by ${whose(claim)} with another payload; a new payout needs a new id`,
        ),
      ),
    taken: known
      .filter(({ samePayload }) => samePayload)
      .map((claim) =>
        finding(
          claim,
          'already-taken',
          `this payout was taken by ${whose(claim)}; leave the row out, or run with --invalid skip`,
        ),
      ),
  };
}
