/** Options of a call that may move money. */
export interface SendOptions {
  /**
   * Called once, after the token is at hand and right before the first byte leaves. Throwing sends nothing and the call
   * fails with outcome `not-sent`.
   */
  beforeFirstByte?: () => void;
  signal?: AbortSignal;
}

export interface ReadOptions {
  signal?: AbortSignal;
}
