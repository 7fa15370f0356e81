import type { Coverage, KeptEntry } from './lines.ts';

/** What of a booking may be compared with another statement's. */
type Booking = Pick<
  KeptEntry,
  | 'entryId'
  | 'statementId'
  | 'kind'
  | 'accountId'
  | 'bookedOn'
  | 'minor'
  | 'direction'
  | 'isReversal'
  | 'isPending'
  | 'bankReference'
>;

/**
 * Bookings that a statement shows and one taken before it has shown: a bank sends a day and its month, and people export days that
 * overlap. The one taken first counts, so that ids of bookings stay.
 *
 * @returns ids of entries, by the entry that each repeats
 */
export function repeatsOf(entries: readonly Booking[], statements: readonly Coverage[]): Map<string, string> {
  const byId = new Map(statements.map((it) => [it.statementId, it]));
  const repeats = new Map<string, string>();
  const whole = entries.filter(({ kind, isPending }) => kind === 'statement' && !isPending);
  for (const some of Map.groupBy(whole, placeOf).values()) {
    const own = Map.groupBy(some, ({ statementId }) => statementId);
    if (own.size < 2) continue;
    const inOrder = [...own].flatMap(([id, its]) => {
      const statement = byId.get(id);
      return statement === undefined ? [] : [{ statement, its }];
    });
    inOrder.sort((a, b) => order(a.statement, b.statement));
    for (const [index, { statement, its }] of inOrder.entries()) {
      const earlier = inOrder
        .slice(0, index)
        .flatMap((it) => (isContinued(it.statement, statement) ? [] : it.its))
        .filter(({ entryId }) => !repeats.has(entryId));
      for (const [entryId, of] of paired(its, earlier)) repeats.set(entryId, of);
    }
  }
  return repeats;
}

const placeOf = ({ accountId, bookedOn, direction, minor, isReversal }: Booking): string =>
  `${accountId} ${bookedOn} ${direction} ${minor} ${isReversal}`;

const order = (a: Coverage, b: Coverage): number =>
  a.takenAt - b.takenAt || (a.from < b.from ? -1 : a.from > b.from ? 1 : a.statementId < b.statementId ? -1 : 1);

/** Of two statements of one day the second begins with the balance of the first, and moves it: both have bookings of their own. */
function isContinued(a: Coverage, b: Coverage): boolean {
  const isAfter = (first: Coverage, then: Coverage): boolean =>
    then.from >= first.to &&
    then.opening !== undefined &&
    then.opening === first.closing &&
    then.closing !== then.opening &&
    // A day that moves nothing in all, within a month that begins with it, says nothing.
    (first.closing !== first.opening || then.to === first.to);
  return isAfter(a, b) || isAfter(b, a);
}

/** Each to one of the earlier ones at most: by the bank's reference; where one of them has none, the two formats say less. */
function paired(its: readonly Booking[], earlier: readonly Booking[]): [string, string][] {
  const named = Map.groupBy(earlier, ({ bankReference }) => bankReference);
  const unnamed = named.get(undefined) ?? [];
  named.delete(undefined);
  const pairs: [string, string][] = [];
  const pair = (some: readonly Booking[], of: (it: Booking) => Booking | undefined): Booking[] =>
    some.filter((it) => {
      const first = of(it);
      if (first !== undefined) pairs.push([it.entryId, first.entryId]);
      return first === undefined;
    });
  const rest = pair(its, ({ bankReference }) =>
    bankReference === undefined ? undefined : named.get(bankReference)?.shift(),
  );
  const others = [...named.values()].flat();
  pair(rest, ({ bankReference }) => unnamed.shift() ?? (bankReference === undefined ? others.shift() : undefined));
  return pairs;
}
