import type { InstructionFile } from '../formats/read-file.ts';
import type { FindingList } from '../rules/finding-list.ts';
import type { StagedFile } from './staged-file.ts';

/** What a file's rows are to the store; those that are known are taken out of the file's claims. */
export interface KnownRows {
  /** Rows taken before as they are. */
  known: number;
  /** The batches that took them, in the order met. */
  batchIds: ReadonlySet<string>;
  /** Rows known with another payload, or that ask for a second generation that is not allowed. */
  misused: FindingList;
  /** Rows known as they are, as findings that name the earlier batch. */
  taken: FindingList;
}

/** A file of payouts, read and checked against every rule that needs no claim; its owner disposes of `staged`. */
export interface CheckedFile extends InstructionFile {
  /** The batch whose unpaid rows these are. */
  retryOf?: string;
  staged: StagedFile;
  /** What its rows are to the store, once that was asked. */
  known?: KnownRows;
  /** The message id was never taken. */
  messageIsNew?: boolean;
}
