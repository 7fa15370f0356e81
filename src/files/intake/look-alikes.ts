import { lookAlikeKeys } from '../../domain/payee.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { LookAlike, Store } from '../../store/store.ts';
import type { StagedFile } from './staged-file.ts';

/** Rows that look like a recent payout: the first ones, and the total number. */
export interface LookAlikes {
  count: number;
  rows: { row: number; id: string; like: string; days: number }[];
}

const SHOWN_MAX = 20;

/** Payouts from this time on count for look-alikes, epoch ms; undefined if that is switched off. */
export const lookAlikesSince = (days: number, now: number): number | undefined =>
  days === 0 ? undefined : now - days * DAY_MS;

/**
 * Marks each claim whose payee, amount and currency were paid, or are being paid, within `days`. Rows of the same file are not
 * compared with each other: two rows with two ids are meant as two payouts.
 */
export async function markLookAlikes(
  store: Store,
  staged: StagedFile,
  { days, now }: { days: number; now: number },
): Promise<LookAlikes> {
  const found: LookAlikes = { count: 0, rows: [] };
  const since = lookAlikesSince(days, now);
  if (since === undefined) return found;
  for (const page of staged.claimPages()) {
    const alikes = await store.lookAlikes(page.flatMap(lookAlikeKeys), since);
    const known = new Map<string, LookAlike>(alikes.map((alike) => [alike.key, alike]));
    for (const claim of page) {
      const [alike] = lookAlikeKeys(claim).flatMap((key) => known.get(key) ?? []);
      if (alike === undefined) continue;
      staged.claim({ ...claim, lookAlikeOf: alike.reference });
      found.count += 1;
      if (found.rows.length >= SHOWN_MAX) continue;
      const ago = Math.floor((now - alike.createdAt) / DAY_MS);
      found.rows.push({ row: claim.row, id: claim.instruction.id, like: alike.reference, days: ago });
    }
  }
  return found;
}
