import type { Selectable } from 'kysely';
import type { SerializedEntry } from './audit/entry.ts';
import type { Hash } from './audit/merkle.ts';
import type { Json } from './engine/json-columns.ts';

/** Tables of the audit log: entries, the edge of the Merkle tree, and signed checkpoints. */
export interface AuditTables {
  auditLog: LoggedEntry;
  auditTree: AuditTreeTable;
  auditCheckpoints: CheckpointTable;
}

export interface LoggedEntry extends SerializedEntry {
  leafHash: Hash;
}

interface AuditTreeTable {
  id: number;
  size: number;
  /** Roots of the full subtrees, largest first. */
  edge: Json<readonly Hash[]>;
}

interface CheckpointTable {
  size: number;
  /** Edge of the tree at this size, from which the signed root follows. */
  edge: Json<readonly Hash[]>;
  /** As `SignedCheckpoint`. */
  note: string;
  at: number;
  /** When it was copied to the file kept elsewhere; null before. */
  copiedAt: number | null;
  /** When it was written to the mail spool; null before. */
  mailedAt: number | null;
}

export type CheckpointRecord = Selectable<CheckpointTable>;
