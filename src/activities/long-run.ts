/** What long-running work needs from its caller. */
export interface LongRun {
  /** Rejects early when the work is to stop. */
  sleep(ms: number): Promise<void>;
  /** Aborted when the work is to stop. */
  signal: AbortSignal;
  warn(message: string, fields: Record<string, unknown>): void;
}
