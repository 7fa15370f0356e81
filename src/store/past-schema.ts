/**
 * Why a store began anew to be sent from: nobody had before, the last sender had ended, a sender was suspended for longer than the
 * proof window, another machine or folder used it last, it is a copy, it went back in time, or somebody restored it.
 */
export type ResumptionReason = 'new' | 'restart' | 'gap' | 'other-user' | 'copied' | 'rolled-back' | 'restored';

/** Tables of a store's own past. */
export interface PastTables {
  resumptions: ResumptionTable;
}

interface ResumptionTable {
  at: number;
  /** Orders made from this time on may be missing in the store; 0: any. */
  since: number;
  why: ResumptionReason;
}
