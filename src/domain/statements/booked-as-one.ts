import { ByReference } from '../reference-form.ts';
import { DAY_MS } from '../time.ts';
import type { AttributedReturn, BookedLine, OurMovement, OurRecord } from './booked.ts';

/** What a bank may book as one: the payments of a file, a payment with its fee, the fees of a day or month, the cards of a day. */

/** How long a bank may take to book what it has completed: a long weekend. */
export const BOOKED_WITHIN_DAYS = 5;
/** A document number that is shorter is found in any text. */
export const DOCUMENT_LENGTH = 5;

/** Payments by the ids of their file. */
export class FilePayments {
  private readonly byFile: ReadonlyMap<string, readonly OurMovement[]>;
  private readonly byId = new Map<string, OurMovement[]>();

  constructor(paid: readonly OurMovement[], batchOf: (reference: string) => OurRecord['batch'] | undefined) {
    this.byFile = Map.groupBy(paid, (it) => fileOf(batchOf(it.reference), it));
    for (const it of paid) {
      const { batchId, messageId, paymentId } = batchOf(it.reference) ?? {};
      const whole = messageId === undefined || paymentId === undefined ? undefined : `${messageId}/${paymentId}`;
      for (const id of [batchId, messageId, paymentId, whole]) {
        if (id === undefined || fold(id).length < DOCUMENT_LENGTH) continue;
        const some = this.byId.get(fold(id));
        if (some === undefined) this.byId.set(fold(id), [it]);
        else some.push(it);
      }
    }
  }

  all(): (readonly OurMovement[])[] {
    return [...this.byFile.values()];
  }

  named({ batch, references }: BookedLine): readonly OurMovement[] {
    const { messageId, paymentId } = batch ?? {};
    const whole = messageId === undefined || paymentId === undefined ? undefined : `${messageId}/${paymentId}`;
    const ids = [whole, paymentId, messageId, ...references];
    const known = ids.find((id) => id !== undefined && this.byId.has(fold(id)));
    return this.byId.get(fold(known ?? '')) ?? [];
  }
}

/**
 * What a sum pays of the payments of a file, with their fees or without: all, or all but the few that are missing. Nothing is paid if
 * that is not certain.
 */
export function partPaid(
  payments: readonly OurMovement[],
  feesOf: (payment: OurMovement) => readonly OurMovement[],
  booked: bigint,
): { paid: OurMovement[]; missing: OurMovement[] } {
  const partsWith = (fees: typeof feesOf) =>
    payments.map((of) => {
      const moves = [of, ...fees(of)];
      return { of, moves, minor: sum(moves) };
    });
  for (const parts of [partsWith(() => []), partsWith(feesOf)]) {
    const short = sum(parts) - booked;
    const missing = new Set(short === 0n ? [] : onlyChoice(parts, short));
    if (short !== 0n && missing.size === 0) continue;
    const paid = parts.filter((part) => !missing.has(part)).flatMap(({ moves }) => moves);
    return { paid, missing: [...missing].map(({ of }) => of) };
  }
  return { paid: [], missing: [] };
}

/** How many missing rows are looked for, and how much of that may be tried. */
const MISSING_MAX = 3;
const TRIED_MAX = 1_000_000;

/** Which of these, and as few as possible, make up an amount; none if there is more than one choice. */
function onlyChoice<Part extends { minor: bigint }>(parts: readonly Part[], amount: bigint): readonly Part[] {
  const inOrder = parts.toSorted((a, b) => Number(a.minor - b.minor));
  for (let size = 1; size <= MISSING_MAX && parts.length ** (size - 1) <= TRIED_MAX; size += 1) {
    const choices = choicesOf(inOrder, amount, { size, from: 0 });
    const [only = []] = choices;
    if (choices.length > 0) return choices.length === 1 ? only : [];
  }
  return [];
}

/** At most two. @param parts by amount */
function choicesOf<Part extends { minor: bigint }>(
  parts: readonly Part[],
  amount: bigint,
  { size, from }: { size: number; from: number },
): Part[][] {
  const found: Part[][] = [];
  if (size === 1) {
    const at = firstOf(parts, amount, from);
    return parts.slice(at, at + 2).flatMap((part) => (part.minor === amount ? [[part]] : []));
  }
  for (let at = from; at < parts.length && found.length < 2; at += 1) {
    const part = parts[at];
    if (part === undefined || part.minor * BigInt(size) > amount) break;
    for (const rest of choicesOf(parts, amount - part.minor, { size: size - 1, from: at + 1 })) {
      found.push([part, ...rest]);
    }
  }
  return found.slice(0, 2);
}

/** Where the first of at least this amount is. @param parts by amount */
function firstOf(parts: readonly { minor: bigint }[], amount: bigint, from = 0): number {
  let [low, high] = [from, parts.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((parts[middle]?.minor ?? amount) < amount) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A sum that differs by at most one part of so many may be that of a file. */
const NEAR_PARTS = 10n;

/** Of a booking for several payments that names no file, and is the sum of none: the payments of the file with the nearest sum. */
export function rowsOfNearFile(
  line: BookedLine,
  unbooked: readonly OurMovement[],
  batchOf: (movement: OurMovement) => OurRecord['batch'] | undefined,
): string[] {
  if (line.batch === undefined) return [];
  const soon = unbooked.filter(({ kind, on }) => {
    const away = daysBetween(on, line.on);
    return kind === 'payment' && away >= -1 && away <= BOOKED_WITHIN_DAYS;
  });
  const away = (some: readonly OurMovement[]): bigint => {
    const other = sum(some) - line.minor;
    return other < 0n ? -other : other;
  };
  const [nearest = []] = [...Map.groupBy(soon, (it) => fileOf(batchOf(it), it)).values()]
    .filter((some) => some.length > 1 && away(some) * NEAR_PARTS <= line.minor)
    .sort((a, b) => Number(away(a) - away(b)));
  return nearest.slice(0, CANDIDATES_MAX).map(({ reference }) => reference);
}

/** Sets of movements that a bank may book as one. */
export function sumsOf(
  near: readonly OurMovement[],
  line: BookedLine,
  batchOf: (movement: OurMovement) => OurRecord['batch'] | undefined,
): (readonly OurMovement[])[] {
  const [paid, fees] = [near.filter(({ kind }) => kind !== 'fee'), near.filter(({ kind }) => kind === 'fee')];
  if (line.isFee) {
    // What was not booked may have cost nothing.
    const unbooked = new Set(paid.map(({ reference }) => reference));
    return [fees, fees.filter(({ reference }) => !unbooked.has(reference))].flatMap(collections);
  }
  const soon = paid.filter(({ on }) => daysBetween(on, line.on) <= BOOKED_WITHIN_DAYS);
  const own = Map.groupBy(fees, ({ reference }) => reference);
  const withFee = soon.map((it) => [it, ...(own.get(it.reference) ?? [])]);
  const files = [...Map.groupBy(soon, (it) => fileOf(batchOf(it), it)).values()];
  const withFees = files.map((some) => some.flatMap((it) => [it, ...(own.get(it.reference) ?? [])]));
  const cards = soon.filter(({ kind }) => kind === 'card');
  return [...withFee, ...files, ...withFees, ...Map.groupBy(cards, ({ on }) => on).values(), cards];
}

/** Fees that a bank may collect together. */
const collections = (fees: readonly OurMovement[]): (readonly OurMovement[])[] => [
  ...Map.groupBy(fees, ({ on }) => on).values(),
  ...Map.groupBy(fees, ({ on }) => on.slice(0, 'YYYY-MM'.length)).values(),
  fees,
];

/**
 * Of a collection while bookings of its days are still to come: the fees of all that is booked, and of some payments that are
 * awaited. Which of equal ones those are is known once they are booked.
 */
export function feesSoFar(
  near: readonly OurMovement[],
  { minor }: BookedLine,
  isAwaited: (payment: OurMovement) => boolean,
): OurMovement[] {
  const payments = new Map(near.flatMap((it) => (it.kind === 'fee' ? [] : [[it.reference, it] as const])));
  for (const some of collections(near.filter(({ kind }) => kind === 'fee'))) {
    const booked = some.filter(({ reference }) => !payments.has(reference));
    const awaited = some.filter(({ reference }) => {
      const payment = payments.get(reference);
      return payment !== undefined && isAwaited(payment);
    });
    const rest = minor - sum(booked);
    const [one] = awaited;
    if (booked.length === 0 || rest <= 0n || one === undefined) continue;
    const areEqual = awaited.every((it) => it.minor === one.minor) && rest % one.minor === 0n;
    const more = areEqual ? awaited.slice(0, Number(rest / one.minor)) : onlyChoice(awaited, rest);
    if (sum(more) === rest) return [...booked, ...more];
  }
  return [];
}

/** Payments of one file and day. */
const fileOf = (batch: OurRecord['batch'] | undefined, { on, reference, kind }: OurMovement): string =>
  `${kind} ${batch?.batchId ?? reference} ${batch?.paymentId ?? ''} ${on}`;

export const sum = (some: readonly { minor: bigint }[]): bigint => some.reduce((total, { minor }) => total + minor, 0n);

export const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

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

/** Records by what names one of them alone: its reference in any form, and the ids of its orders and of its message. */
export class RecordNames {
  private readonly references: ByReference<OurRecord>;
  private readonly others = new Map<string, OurRecord | undefined>();

  constructor(records: readonly OurRecord[]) {
    this.references = new ByReference(
      records.flatMap((record) =>
        [record.reference, ...record.names.filter((name) => UUID.test(name))].map((name) => [name, record] as const),
      ),
    );
    for (const record of records) for (const name of record.names) addUnique(this.others, fold(name), record);
  }

  find(text: string): OurRecord | undefined {
    return this.references.find(text) ?? this.others.get(fold(text));
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A name that two records share names neither, unless one of them is proven unpaid and the other is its repetition. */
function addUnique(names: Map<string, OurRecord | undefined>, name: string, record: OurRecord): void {
  if (name.length < DOCUMENT_LENGTH) return;
  const before = names.get(name);
  names.set(name, names.has(name) && before !== record ? theOther(before, record) : record);
}

function theOther(one: OurRecord | undefined, another: OurRecord): OurRecord | undefined {
  if (one === undefined || (one.state === 'unpaid') === (another.state === 'unpaid')) return undefined;
  return one.state === 'unpaid' ? another : one;
}
