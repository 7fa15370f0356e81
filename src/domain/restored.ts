import { DAY_MS } from './durations.ts';
/**
 * Claim time (epoch ms) from which a store is believed that nothing was sent earlier for a document; null: always. After the
 * store was replaced by an older copy, documents lost with it can be submitted again only during the days in which orders are
 * compared.
 */
export function believedFrom(
  restored: { at: number } | undefined,
  { reconcileDays }: { reconcileDays: number },
): number | null {
  return restored === undefined ? null : restored.at + reconcileDays * DAY_MS;
}
