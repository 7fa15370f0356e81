import type { OriginalTransaction } from '../domain/bank-message.ts';

/** One record of the file; its values are text as written, blank ones included. */
export interface ReadRow {
  /** Data row from 1. */
  row: number;
  /** Line where the record starts. */
  line: number;
  instruction: Record<string, string>;
  /** The reader found something wrong in it: its values are checked like any other's, and it is never valid. */
  unsound?: true;
  /** Where it stood in a bank message; absent for CSV and JSON. */
  original?: OriginalTransaction;
  /** XPath of its element; absent outside XML. */
  path?: string;
  /** Beneficiary fields that the message carries for any bank: left out where this bank does not ask for them. */
  spare?: readonly string[];
}

/** A column or key and where it first appears: the header line (row null) or the record that brought it. */
export interface ReadColumn {
  name: string;
  line: number;
  row: number | null;
}
