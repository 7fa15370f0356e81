import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../domain/settings.ts';

/** A part that does not answer within this time is down. */
const PATIENCE_MS = 3_000;
/** How long an answer is reused. */
const FRESH_MS = 2_000;

/** Each rejects while its part is unusable. */
export type ReadinessProbes<Part extends string> = Readonly<Record<Part, () => Promise<unknown>>>;

export interface Readiness<Part extends string> {
  ready: boolean;
  parts: Readonly<Record<Part, 'up' | 'down'>>;
}

/** Checks every part; the result is shared and reused for `freshMs`, however often it is asked for. */
export function readinessOf<Part extends string>(
  parts: ReadinessProbes<Part>,
  { log, now, freshMs = FRESH_MS }: { log: Log; now: () => number; freshMs?: number },
): () => Promise<Readiness<Part>> {
  const names = Object.keys(parts) as Part[];
  const look = async (): Promise<Readiness<Part>> => {
    const shown = await Promise.all(names.map(async (name) => [name, await stateOf(name, parts[name], log)] as const));
    return {
      ready: shown.every(([, state]) => state === 'up'),
      parts: Object.fromEntries(shown) as Readiness<Part>['parts'],
    };
  };
  let asked: { at: number; answer: Promise<Readiness<Part>> } | undefined;
  return () => {
    if (asked === undefined || now() - asked.at > freshMs) asked = { at: now(), answer: look() };
    return asked.answer;
  };
}

async function stateOf(part: string, ask: () => Promise<unknown>, log: Log): Promise<'up' | 'down'> {
  try {
    const late = pause(PATIENCE_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('no answer in time')),
    );
    await Promise.race([ask(), late]);
    return 'up';
  } catch (error) {
    log.warn({ error, part }, 'a part is down');
    return 'down';
  }
}
