import { DAY_MS } from '../time.ts';
import type { BookedLine, OurMovement, OurRecord } from './booked.ts';

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

/** Sets of movements that a bank may book as one. */
export function sumsOf(
  near: readonly OurMovement[],
  line: BookedLine,
  batchOf: (movement: OurMovement) => OurRecord['batch'] | undefined,
): OurMovement[][] {
  const [paid, fees] = [near.filter(({ kind }) => kind !== 'fee'), near.filter(({ kind }) => kind === 'fee')];
  if (line.isFee) {
    // What was not booked may have cost nothing.
    const unbooked = new Set(paid.map(({ reference }) => reference));
    return [fees, fees.filter(({ reference }) => !unbooked.has(reference))].flatMap((some) => [
      ...Map.groupBy(some, ({ on }) => on).values(),
      ...Map.groupBy(some, ({ on }) => on.slice(0, 'YYYY-MM'.length)).values(),
      some,
    ]);
  }
  const soon = paid.filter(({ on }) => daysBetween(on, line.on) <= BOOKED_WITHIN_DAYS);
  const own = Map.groupBy(fees, ({ reference }) => reference);
  const withFee = soon.map((it) => [it, ...(own.get(it.reference) ?? [])]);
  const files = [...Map.groupBy(soon, (it) => fileOf(batchOf(it), it)).values()];
  const withFees = files.map((some) => some.flatMap((it) => [it, ...(own.get(it.reference) ?? [])]));
  const cards = soon.filter(({ kind }) => kind === 'card');
  return [...withFee, ...files, ...withFees, ...Map.groupBy(cards, ({ on }) => on).values(), cards];
}

/** Payments of one file and day. */
const fileOf = (batch: OurRecord['batch'] | undefined, { on, reference, kind }: OurMovement): string =>
  `${kind} ${batch?.batchId ?? reference} ${batch?.paymentId ?? ''} ${on}`;

export const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
