import type { Selectable } from 'kysely';
import type { ResumptionReason } from '../domain/store-past.ts';

/** Tables of a store's own past. */
export interface PastTables {
  resumptions: ResumptionTable;
  senders: SenderTable;
}

interface ResumptionTable {
  at: number;
  /** Orders made from this time on may be missing in the store; 0: any. */
  since: number;
  why: ResumptionReason;
}

/** A process that has opened the store and may send. */
interface SenderTable {
  senderId: string;
  /** Digest that tells machines apart. */
  machine: string;
  /** Of the machine's operating system. */
  boot: string;
  /** Path of the SQLite file, or name of the database, as people know it. */
  place: string;
  /** Tells the file or database from its copies, whatever their name. */
  placeMark: string;
  pid: number;
  /** Tells the process from a later one with the same id. */
  processMark: string;
  /** Grows with each sign of life. */
  pulses: number;
  /** Time of the last one. */
  aliveAt: number;
  /** When the process stopped sending by itself; null: it has not. */
  endedAt: number | null;
}

export type SenderRecord = Selectable<SenderTable>;
