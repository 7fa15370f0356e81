import type { Log } from '../../domain/log.ts';

const QUIET_MS = 60_000;

/** Warns once a minute for each reason, with a count, so that a flood of webhooks does not fill the log. */
export function quietWarnings(log: Log, now: () => number) {
  const warned = new Map<string, { at: number; since: number }>();
  return (reason: string, message: string, more: object = {}): void => {
    const at = now();
    const last = warned.get(reason);
    if (last !== undefined && at - last.at < QUIET_MS) {
      last.since += 1;
      return;
    }
    log.warn({ reason, ...more, unsaidBefore: last?.since ?? 0 }, message);
    warned.set(reason, { at, since: 0 });
  };
}
