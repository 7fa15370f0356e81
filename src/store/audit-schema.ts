import type { Selectable } from 'kysely';
import type { KeptEntry } from '../audit/entry.ts';
import type { Hash } from '../audit/merkle.ts';
import type { Json } from './json-columns.ts';

/** Tables of the audit log: its entries, the edge of its tree, and the checkpoints that were signed. */
export interface AuditTables {
  auditLog: LoggedEntry;
  auditTree: AuditTreeTable;
  auditCheckpoints: CheckpointTable;
}

export const AUDIT_JSON = { auditTree: { edge: true }, auditCheckpoints: { edge: true } } as const;

/** An entry of the log with its leaf hash. */
export interface LoggedEntry extends KeptEntry {
  leafHash: Hash;
}

interface AuditTreeTable {
  id: number;
  size: number;
  /** Roots of its full subtrees, the largest first. */
  edge: Json<readonly Hash[]>;
}

/** A checkpoint that was signed. */
interface CheckpointTable {
  size: number;
  /** Of the tree by then: the signed root is made of it. */
  edge: Json<readonly Hash[]>;
  /** As `SignedCheckpoint`. */
  note: string;
  at: number;
  /** When it had left for the file that keeps them elsewhere; null before. */
  copiedAt: number | null;
  /** When it lay in the mail spool; null before. */
  mailedAt: number | null;
}

export type CheckpointRecord = Selectable<CheckpointTable>;
