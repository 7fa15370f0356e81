import type { Selectable } from 'kysely';
import type { DiscrepancyKind, MatchedBy, MovementKind } from '../domain/statements/booked.ts';
import type { EntryDetail, StatementEntry, StatementKind } from '../domain/statements/statement.ts';
import type { Json } from './engine/column-dialect.ts';

/** Tables of what the bank has booked (migration 0004). Days are ISO 8601, amounts decimal strings. */
export interface StatementTables {
  /** `erasedAt`: when names and texts were erased from its entries; null: they were not. */
  statements: StatementRecord & { erasedAt: number | null };
  statementEntries: EntryTable;
  statementDetails: { entryId: string; part: number; facts: Json<InText<EntryDetail>> };
  entryMatches: EntryMatch;
  entryDecisions: EntryDecision;
  discrepancies: DiscrepancyTable;
}

export const STATEMENT_JSON_COLUMNS = {
  discrepancies: { lineIds: true, candidates: true },
  statementDetails: { facts: true },
  statementEntries: { facts: true },
} as const;

/** With amounts in minor units as text, which JSON can hold. */
export type InText<Facts> = {
  [Name in keyof Facts]: Facts[Name] extends bigint
    ? string
    : Facts[Name] extends bigint | undefined
      ? string | undefined
      : Facts[Name];
};

/** Without free text and the account of the other side. */
export const withoutNames = <Facts extends InText<StatementEntry> | InText<EntryDetail>>(facts: Facts): Facts => ({
  ...facts,
  text: '',
  counterparty: undefined,
  returnReason: facts.returnReason && { ...facts.returnReason, text: undefined },
});

/** A statement that was taken, or of which an interrupted taking has left entries (`takenAt` null). */
export interface StatementRecord {
  /** `stm-` and 12 characters of its digest. */
  statementId: string;
  /** The bank's id of the account in the interface. */
  accountId: string;
  uid: string;
  currency: string;
  kind: StatementKind;
  format: string;
  number: string;
  fromDay: string;
  toDay: string;
  /** Null: it states none. */
  opening: string | null;
  closing: string | null;
  entries: number;
  /** Of its content, in any file. */
  digest: string;
  file: string;
  takenBy: string | null;
  takenAt: number | null;
}

interface EntryTable {
  /** Id of the statement, a dot, and the position. */
  entryId: string;
  statementId: string;
  accountId: string;
  position: number;
  bookedOn: string;
  facts: Json<InText<StatementEntry>>;
}

/** A booking, or a part of it, and the movement of ours that it is. */
export interface EntryMatch {
  lineId: string;
  /** Empty: our records have no movement for it, e.g. a return. */
  movementId: string;
  entryId: string;
  uid: string;
  reference: string | null;
  kind: MovementKind | 'other';
  foundBy: MatchedBy;
  /** What of the booking it is, minor units as text; below zero: it left the account. */
  amount: string;
}

/** What people have said of a booking: it belongs to this payout, or to none. */
export interface EntryDecision {
  lineId: string;
  uid: string;
  reference: string | null;
  by: string;
  reason: string;
  at: number;
}

interface DiscrepancyTable {
  /** `dis-` and 12 characters of a digest of kind, payout and bookings. */
  discrepancyId: string;
  kind: DiscrepancyKind;
  uid: string;
  accountId: string;
  currency: string;
  reference: string | null;
  /** The file that was booked as one. */
  batchId: string | null;
  lineIds: Json<readonly string[]>;
  /** References that it may belong to, or that may be missing from the file. */
  candidates: Json<readonly string[]>;
  /** Decimal strings; null: nothing. */
  ours: string | null;
  ourCurrency: string;
  booked: string | null;
  onDay: string;
  foundAt: number;
  /** When a later statement or a person explained it; null: it is open. */
  goneAt: number | null;
  /** The incident that it opened; null: none. */
  incidentId: string | null;
}

export type DiscrepancyRecord = Selectable<DiscrepancyTable>;
