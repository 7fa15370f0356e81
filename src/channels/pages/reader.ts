import { AsyncLocalStorage } from 'node:async_hooks';
import { isoDate } from '../../domain/time.ts';

/** Where the reader of a page is. */
export interface Reader {
  /** IANA name of a time zone. */
  zone: string;
}

export const UTC = 'UTC';

/** Cookie that names the time zone. */
export const ZONE_COOKIE = 'payouts-zone';

const reading = new AsyncLocalStorage<Reader>();

/** Of the request that is being answered. */
export const reader = (): Reader => reading.getStore() ?? { zone: UTC };

/** What `answer` starts is for a reader in this time zone; in UTC if there is no zone of that name. */
export const forReader = (zone: string | undefined, answer: () => void): void =>
  reading.run({ zone: zone !== undefined && KNOWN.has(zone) ? zone : UTC }, answer);

const formats = new Map<string, { time: Intl.DateTimeFormat; name: Intl.DateTimeFormat }>();

/** Throws a `RangeError` for what is no time zone. */
function formatsOf(zone: string) {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = {
    // Of the Swedes, who write times as ISO 8601 does.
    time: new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }),
    name: new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' }),
  };
  formats.set(zone, made);
  return made;
}

/** All zones that can be chosen. */
export const ZONES: readonly string[] = [...new Set([UTC, ...Intl.supportedValuesOf('timeZone')])];
const KNOWN: ReadonlySet<string> = new Set(ZONES);

/** `2026-03-31 16:05:09 GMT+2` */
export function timeText(at: number, { zone }: Reader = reader()): string {
  if (zone === UTC) return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const { time, name } = formatsOf(zone);
  const offset = name.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone;
  return `${time.format(at)} ${offset}`;
}

/** The day of a moment, as the reader's calendar has it: `2026-03-31`. */
export const dayOf = (at: number, { zone }: Reader = reader()): string =>
  zone === UTC ? isoDate(at) : formatsOf(zone).time.format(at).slice(0, 10);

/** The first moment of a day of the reader's, epoch ms. */
export function startOf(day: string, it: Reader = reader()): number {
  const asUtc = Date.parse(`${day}T00:00:00Z`);
  // The offset may change on the day itself: the second try has that of its first moment.
  const first = asUtc - offsetAt(asUtc, it);
  return asUtc - offsetAt(first, it);
}

/** How far the clocks there are ahead of UTC, ms. */
function offsetAt(at: number, { zone }: Reader): number {
  if (zone === UTC) return 0;
  const shown = formatsOf(zone).time.format(at);
  return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(at / 1_000) * 1_000;
}
