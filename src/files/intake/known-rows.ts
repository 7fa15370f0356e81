import type { Finding } from '../../domain/finding.ts';
import { sameMoney } from '../../domain/likeness.ts';
import type { ClaimRow, KnownClaim, Store } from '../../store/store.ts';
import { FindingList } from '../rules/finding-list.ts';
import type { BankLists } from './at-bank.ts';
import type { CheckedFile, KnownRows, MayTellOf } from './checked-file.ts';
import { asGenerations } from './retries.ts';

/**
 * Separates new rows from known and misused ones, page by page. Only batches of which may be told are named. `lists`: absent if
 * nothing is to be paid.
 */
export async function dropKnown(
  store: Store,
  { file, staged }: CheckedFile,
  { mayTellOf = async () => true, lists }: { mayTellOf?: MayTellOf; lists?: BankLists } = {},
): Promise<KnownRows> {
  const misused = new FindingList();
  const taken = new FindingList();
  const told = new Map<string, boolean>();
  const found = ({ row, instruction }: ClaimRow, rule: string, message: string): Finding => {
    staged.drop(row);
    return { file, line: staged.lineOf(row), row, column: 'id', value: instruction.id, rule, message };
  };
  const misuse = (row: ClaimRow, rule: string, message: string): void => {
    const finding = found(row, rule, message);
    misused.add(finding);
    staged.finding(finding);
  };
  const whose = async ({ kind, batchId }: KnownClaim): Promise<string> => {
    if (kind !== 'payout') return kind === 'transfer' ? 'a transfer' : 'an exchange';
    if (batchId === null) return 'a payout outside a batch';
    const mayTell = told.get(batchId) ?? (await mayTellOf(batchId));
    told.set(batchId, mayTell);
    return mayTell ? `batch ${batchId}` : 'another batch';
  };
  for (const page of staged.claimPages()) {
    const { rows, broken } = await asGenerations(store, page, lists);
    for (const { row, rule, message } of broken) misuse(row, rule, message);
    const claims = new Map((await store.knownClaims(rows)).map((claim) => [claim.row, claim]));
    for (const row of rows) {
      const claim = claims.get(row.row);
      if (claim === undefined) {
        if (row.generation !== undefined) staged.claim(row);
        continue;
      }
      if (!isSame(row, claim)) {
        misuse(
          row,
          'id-reused',
          `this id was already used by ${await whose(claim)} with different contents; a new payout needs a new id`,
        );
        continue;
      }
      const again = `this payout was already taken by ${await whose(claim)}; remove the row, or run with --invalid skip`;
      const finding = found(row, 'already-taken', again);
      taken.add(finding);
      staged.refuse(finding, row.reference);
    }
  }
  const batchIds = new Set([...told.keys()].filter((batchId) => told.get(batchId)));
  return { batchIds, misused, taken };
}

/** The same instruction, or the same payment in another form (a CSV row and its pain.001 transaction, say). */
function isSame(row: ClaimRow, { kind, samePayload, instruction }: KnownClaim): boolean {
  return samePayload || (kind === 'payout' && sameMoney(row.instruction, instruction));
}
