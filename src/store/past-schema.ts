import type { ResumptionReason, SenderSeen } from '../domain/store-past.ts';

/** Tables of a store's own past. */
export interface PastTables {
  resumptions: ResumptionTable;
  senders: SenderSeen;
}

interface ResumptionTable {
  at: number;
  /** Orders made from this time on may be missing in the store; 0: any. */
  since: number;
  why: ResumptionReason;
}
