import { hash } from 'node:crypto';
import type { BookedLine } from './booked.ts';
import type { EntryDetail, StatementEntry, StatementKind } from './statement.ts';

/** An entry as it is kept. */
export interface KeptEntry extends StatementEntry {
  entryId: string;
  statementId: string;
  kind: StatementKind;
  accountId: string;
}

/**
 * What the bank booked, once: a report or a notification counts until a statement covers its day, and then only says in detail what
 * the statement books. `details`: by entry id.
 */
export function linesOf(
  entries: readonly KeptEntry[],
  details: ReadonlyMap<string, readonly EntryDetail[]>,
  isCovered: (accountId: string, day: string) => boolean,
): BookedLine[] {
  const booked = entries.filter(({ isPending }) => !isPending);
  const isWhole = ({ kind }: KeptEntry): boolean => kind === 'statement' || kind === 'orders';
  const whole = booked.filter(isWhole);
  const early = booked.filter((entry) => !isWhole(entry));
  const detailed = Map.groupBy(
    early.filter(({ entryId }) => (details.get(entryId)?.length ?? 0) > 1),
    placeOf,
  );
  return [
    ...whole.flatMap((entry) => {
      const own = details.get(entry.entryId) ?? [];
      const other = own.length > 1 ? undefined : detailed.get(placeOf(entry))?.find((it) => isSame(entry, it));
      return linesOfEntry(entry, other === undefined ? own : (details.get(other.entryId) ?? own));
    }),
    ...withoutRepeats(early.filter(({ accountId, bookedOn }) => !isCovered(accountId, bookedOn))).flatMap((entry) =>
      linesOfEntry(entry, details.get(entry.entryId) ?? []),
    ),
  ];
}

const placeOf = ({ accountId, direction, minor }: KeptEntry): string => `${accountId} ${direction} ${minor}`;

/** Of a statement, and of a notification: the same booking. */
function isSame(entry: KeptEntry, other: KeptEntry): boolean {
  if (entry.bankReference !== undefined && entry.bankReference === other.bankReference) return true;
  const { messageId, paymentId } = entry.batch ?? {};
  if (paymentId !== undefined && paymentId === other.batch?.paymentId) return true;
  if (messageId !== undefined && messageId === other.batch?.messageId) return true;
  return entry.bookedOn === other.bookedOn && entry.references.length === 0;
}

/** Each report of a day repeats the ones before; what is there twice in one of them was booked twice. */
function withoutRepeats(entries: readonly KeptEntry[]): KeptEntry[] {
  const same = Map.groupBy(entries, (it) =>
    [placeOf(it), it.bookedOn, it.bankReference, ...it.references, it.text].join('\u0000'),
  );
  return [...same.values()].flatMap((some) => {
    const byStatement = [...Map.groupBy(some, ({ statementId }) => statementId).values()];
    return byStatement.toSorted((a, b) => b.length - a.length)[0] ?? [];
  });
}

function linesOfEntry(entry: KeptEntry, details: readonly EntryDetail[]): BookedLine[] {
  const parts = details.filter(({ minor }) => minor !== undefined);
  if (details.length < 2 || parts.length < details.length) {
    return [lineOf(entry, { id: entry.entryId, minor: entry.minor, direction: entry.direction }, [entry, ...details])];
  }
  const lines = parts.map((detail) => {
    const { minor = 0n, direction } = detail;
    return {
      ...lineOf(entry, { id: `${entry.entryId}/${detail.part}`, minor, direction }, [detail]),
      batch: undefined,
    };
  });
  const rest = entry.minor - lines.reduce((sum, { minor }) => sum + minor, 0n);
  if (rest <= 0n) return lines;
  const fee = lineOf(entry, { id: `${entry.entryId}/fee`, minor: rest, direction: entry.direction }, []);
  return [...lines, { ...fee, isFee: true }];
}

type Said = Pick<
  StatementEntry,
  'references' | 'bankReference' | 'text' | 'returnReason' | 'counterparty' | 'chargesMinor'
>;

function lineOf(
  entry: KeptEntry,
  { id, minor, direction }: Pick<BookedLine, 'id' | 'minor' | 'direction'>,
  said: readonly Said[],
): BookedLine {
  const { accountId, currency, bookedOn: on, isReversal, code = '', batch } = entry;
  const returnReason = said.find((it) => it.returnReason !== undefined)?.returnReason;
  const texts = said.map(({ text }) => text);
  const references = said.flatMap((it) => [...it.references, it.bankReference ?? []].flat());
  return {
    ...{ id, accountId, currency, minor, direction, on, isReversal, batch, returnReason },
    orderId: (entry.kind === 'orders' ? entry.bankReference : undefined) ?? id,
    isReturn: returnReason !== undefined || RETURN.test(code),
    isFee: FEE.test(code),
    references: [...new Set([...references, ...texts.flatMap(wordsOf)])],
    counterparty: said
      .find((it) => it.counterparty !== undefined)
      ?.counterparty?.replaceAll(/\s+/g, '')
      .toUpperCase(),
    chargesMinor: said.reduce((sum, { chargesMinor }) => sum + chargesMinor, 0n),
  };
}

/** The entry that a line is, or is a part of. */
export const entryOfLine = (lineId: string): string => lineId.split('/', 1)[0] ?? lineId;

/** Sub-families of ISO 20022, types of SWIFT, business transaction codes of German banks. */
const RETURN = /(?:^|[/ ])(?:RRTN|NRTI|RPCR|159)(?:$|[/ ])/;
const FEE = /(?:^|[/ ])(?:CHRG|COMM|FEES|NCHG|NCOM|80[5-8])(?:$|[/ ])/;

/** A UUID, also one that a text breaks at the end of a line. */
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi;

/** Words that may be an id: with a digit, and long enough to be nobody else's. */
function wordsOf(text: string): string[] {
  const words = text.split(/[\s,;:/+()?]+/).filter((word) => word.length >= WORD_LENGTH && /\d/.test(word));
  return [...words, ...(text.replaceAll(/\s+/g, '').match(UUID) ?? [])];
}

const WORD_LENGTH = 5;

/** A statement, as far as it says which days are complete. */
export interface Coverage {
  statementId: string;
  accountId: string;
  kind: StatementKind;
  from: string;
  to: string;
  /** Minor units; undefined: not stated. */
  opening: bigint | undefined;
  closing: bigint | undefined;
  /** Epoch ms. */
  takenAt: number;
}

/**
 * Whether everything booked on an account on a day is known: a statement holds it, or lies between two of which one continues the
 * balance of the other, since banks send none for days without bookings.
 */
export function coverageOf(
  statements: readonly Omit<Coverage, 'statementId' | 'takenAt'>[],
): (accountId: string, day: string) => boolean {
  const whole = statements.filter(({ kind }) => kind === 'statement' || kind === 'orders');
  const ranges = new Map(
    [...Map.groupBy(whole, ({ accountId }) => accountId)].map(([accountId, some]) => [accountId, rangesOf(some)]),
  );
  return (accountId, day) => ranges.get(accountId)?.some(({ from, to }) => from <= day && day <= to) === true;
}

function rangesOf(
  statements: readonly Pick<Coverage, 'from' | 'to' | 'opening' | 'closing'>[],
): { from: string; to: string }[] {
  const inOrder = statements.toSorted((a, b) => (a.to < b.to ? -1 : a.to > b.to ? 1 : a.from < b.from ? -1 : 1));
  const ranges: { from: string; to: string; closing: bigint | undefined }[] = [];
  for (const { from, to, opening, closing } of inOrder) {
    const last = ranges.at(-1);
    const isNext = last !== undefined && (from <= last.to || (opening !== undefined && opening === last.closing));
    if (isNext) Object.assign(last, { to, closing, from: from < last.from ? from : last.from });
    else ranges.push({ from, to, closing });
  }
  return ranges;
}

/** Of the one statement that the order list of an account makes. Stored, so never change it. */
export const ordersStatementId = (accountId: string): string => `stm-orders-${hash('sha256', accountId).slice(0, 12)}`;
