import { DAY_MS } from './durations.ts';
/**
 * From when on (epoch ms) a store says of a document that was claimed in it that nothing was sent for it before, and is believed. After
 * an older copy was put in its place, documents are handed over again only in the days in which orders are compared; null: always.
 */
export function believedFrom(
  restored: { at: number } | undefined,
  { reconcileDays }: { reconcileDays: number },
): number | null {
  return restored === undefined ? null : restored.at + reconcileDays * DAY_MS;
}
