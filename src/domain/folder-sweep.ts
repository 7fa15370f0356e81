/** Which drop folder, and how its files are taken. */
export interface SweepOptions {
  /** Absolute where it leaves the process that was told. */
  dir: string;
  invalid: 'stop' | 'skip';
  /** The maker. */
  by?: string;
}

/** What a pass over a drop folder found. */
export interface Sweep {
  /** Files that came in. */
  taken: number;
  refused: number;
  /** Files whose batch has ended. */
  ended: number;
  /** Files whose batch has not ended, or that wait for bank, Temporal or store. */
  open: number;
}
