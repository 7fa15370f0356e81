/** What long work needs of whoever runs it. */
export interface LongRun {
  /** Ends early, with an error, when the work is to stop. */
  sleep(ms: number): Promise<void>;
  /** Aborted when the work is to stop. */
  signal: AbortSignal;
  warn(message: string, fields: Record<string, unknown>): void;
}
