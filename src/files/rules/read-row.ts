import type { OriginalTransaction } from '../../domain/bank-message.ts';

/** One record of the file; values are text as written, including blank ones. */
export interface ReadRow {
  /** Data row from 1. */
  row: number;
  /** Line where the record starts. */
  line: number;
  instruction: Record<string, string>;
  /** The reader found an error in it: its values are checked, but it is never valid. */
  unsound?: true;
  /** Its original in a bank message; absent for CSV and JSON. */
  original?: OriginalTransaction;
  /** The payment's reference, where a bank message has it as such and not as free text. */
  reference?: string;
  /** XPath of its element; absent outside XML. */
  path?: string;
  /** Beneficiary fields that the message has for any bank: dropped if this bank does not ask for them. */
  spare?: readonly string[];
}

/** A column or key, and where it first appears: in the header line (row null) or in a record. */
export interface ReadColumn {
  name: string;
  line: number;
  row: number | null;
  /** Of the column of a spreadsheet: `D`. */
  letter?: string;
}
