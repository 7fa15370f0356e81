import type { AttributedReturn, BookedLine, OurRecord } from './booked.ts';
import { daysBetween, firstOf, sum } from './booked-as-one.ts';

/** How long after a payment its return is looked for among its amounts; by its reference it is found at any time. */
export const RETURNED_WITHIN_DAYS = 60;
export const CANDIDATES_MAX = 10;

interface Awaited {
  reference: string;
  endedOn: string;
  /** What has not come back yet. */
  minor: bigint;
}

/** Payments of which a credit without a reference may be the return. */
export class MayComeBack {
  /** By currency, in order of what is left. */
  private readonly awaited: ReadonlyMap<string, readonly Awaited[]>;

  constructor(records: readonly OurRecord[], returns: readonly AttributedReturn[]) {
    const known = Map.groupBy(returns, ({ reference }) => reference);
    const paid = records.flatMap(({ state, asked, endedOn, movements, reference }) => {
      const back = [...movements.filter(({ kind }) => kind === 'return'), ...(known.get(reference) ?? [])];
      const minor = asked.minor - sum(back);
      return state === 'paid' && endedOn !== undefined ? [{ currency: asked.currency, reference, endedOn, minor }] : [];
    });
    this.awaited = Map.groupBy(
      paid.sort((a, b) => (a.minor < b.minor ? -1 : a.minor > b.minor ? 1 : 0)),
      ({ currency }) => currency,
    );
  }

  /** References, that of the nearest amount first. */
  candidates({ currency, minor, on, isReturn }: BookedLine): string[] {
    const some = this.awaited.get(currency) ?? [];
    const found: string[] = [];
    for (let at = firstOf(some, minor); at < some.length && found.length < CANDIDATES_MAX; at += 1) {
      const { reference, endedOn, minor: left } = some[at] as Awaited;
      // What is no return by its code is one only if nothing was kept back.
      if (left !== minor && !isReturn) break;
      const away = daysBetween(endedOn, on);
      if (away >= 0 && away <= RETURNED_WITHIN_DAYS) found.push(reference);
    }
    return found;
  }
}
