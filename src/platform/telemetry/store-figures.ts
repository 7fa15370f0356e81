import type { OpenWork } from '../../store/store.ts';
import type { Metrics } from './metrics.ts';

/** How long figures are reused: however many scrape, the store is read once. */
const FRESH_MS = 5_000;

interface FiguresDeps {
  /** Rejects if the store cannot be read. */
  openWork(now: number): Promise<OpenWork>;
  /** Milliseconds; undefined if not known yet. */
  clockOffsetMs(): number | undefined;
  now: () => number;
}

/** Updates the gauges about the store before they are shown. If the store cannot be read, they are removed. */
export function storeFigures(metrics: Metrics, { openWork, clockOffsetMs, now }: FiguresDeps): () => Promise<void> {
  let last: { at: number; read: Promise<void> } | undefined;
  const read = async (at: number): Promise<void> => {
    const offset = clockOffsetMs();
    if (offset !== undefined) metrics.bankClockOffset.set(offset / 1_000);
    try {
      show(metrics, await openWork(at), at);
      metrics.storeUnread.set(0);
    } catch {
      for (const gauge of labelled(metrics)) gauge.reset();
      // A reset would leave these at 0, which would be a statement.
      for (const gauge of unlabelled(metrics)) gauge.remove();
      metrics.storeUnread.set(1);
    }
  };
  return () => {
    const at = now();
    if (last === undefined || at - last.at > FRESH_MS) last = { at, read: read(at) };
    return last.read;
  };
}

const labelled = (metrics: Metrics) => [metrics.open, metrics.oldest, metrics.openIncidents, metrics.switchesOff];

const unlabelled = (metrics: Metrics) => [
  ...[metrics.cardsForPeople, metrics.unknown, metrics.unknownOldest, metrics.oldestSweep, metrics.unsigned],
];

function show(metrics: Metrics, openWork: OpenWork, at: number): void {
  // Otherwise states without rows would keep their old values.
  for (const gauge of labelled(metrics)) gauge.reset();
  const age = (since: number | null): number => (since === null ? 0 : Math.max(0, at - since) / 1_000);
  for (const { state, count, oldestCreatedAt, oldestUpdatedAt } of openWork.open) {
    metrics.open.set({ state }, count);
    metrics.oldest.set({ state, since: 'claimed' }, age(oldestCreatedAt));
    metrics.oldest.set({ state, since: 'changed' }, age(oldestUpdatedAt));
  }
  for (const { kind, count } of openWork.incidents) metrics.openIncidents.set({ kind }, count);
  for (const { scope, count } of openWork.switchesOff) metrics.switchesOff.set({ scope }, count);
  metrics.cardsForPeople.set(openWork.cardsForPeople);
  metrics.unknown.set(openWork.unknown.count);
  metrics.unknownOldest.set(age(openWork.unknown.oldestSentAt));
  metrics.oldestSweep.set(age(openWork.oldestSweepAt));
  metrics.unsigned.set(age(openWork.oldestUnsignedAt));
}
