/** Which drop folder, and how to take its files. */
export interface FolderScanOptions {
  /** Absolute, if it is passed to another process. */
  dir: string;
  invalid: 'stop' | 'skip';
  /** The maker. */
  by?: string;
}

/** Result of one pass over a drop folder. */
export interface FolderScan {
  taken: number;
  refused: number;
  /** Files whose batch has ended. */
  ended: number;
  /** Files whose batch has not ended, or that wait for bank, Temporal or store. */
  open: number;
}
