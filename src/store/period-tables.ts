/** Tables of closed periods (migration 0005). Days are ISO 8601. */
export interface PeriodTables {
  periodDocuments: PeriodDocumentRecord;
  balanceSteps: BalanceStep;
}

/** What was reported of a period when it was closed. Never changed and never deleted: a later version supersedes it. */
export interface PeriodDocumentRecord {
  /** SHA-256 of `text`, hex. */
  digest: string;
  fromDay: string;
  toDay: string;
  /** From 1. */
  version: number;
  /** Digest of the version before; null for the first. */
  supersedes: string | null;
  /** The document, JSON, byte for byte. */
  text: string;
  closedBy: string;
  closedAt: number;
  /** When it was seen to be true no longer; null: it is in force. */
  reopenedAt: number | null;
  reopenedWhy: string | null;
}

/** What the balance of an account that has only an order list holds beyond its orders, from a day on. */
export interface BalanceStep {
  accountId: string;
  onDay: string;
  /** When the balance was read, epoch ms. */
  at: number;
  /** Minor units, as text; added up since the list was first taken. */
  unexplained: string;
}
