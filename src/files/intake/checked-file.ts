import type { InstructionFile } from '../read-file.ts';
import type { FindingList } from '../rules/finding-list.ts';
import type { StagedFile } from './staged-file.ts';

/** Whether whoever hands a file over may be told of a batch. */
export type MayTellOf = (batchId: string) => Promise<boolean>;

/** How a file's rows relate to the store; known rows are removed from its claims. */
export interface KnownRows {
  /** The batches that took them and of which may be told, in order of appearance. */
  batchIds: ReadonlySet<string>;
  /** Rows known with another payload, and rows that ask for a further generation that is not allowed. */
  misused: FindingList;
  /** Rows known unchanged, as findings that name the earlier batch. */
  taken: FindingList;
}

/** A file that was read and checked by all rules that need no claim. The caller disposes of `staged`. */
export interface CheckedFile extends InstructionFile {
  /** The batch of which these are the unpaid rows. */
  retryOf?: string;
  staged: StagedFile;
  /** Set once the store was asked. */
  known?: KnownRows;
  /** Whether the message id was never taken before. */
  messageIsNew?: boolean;
}
