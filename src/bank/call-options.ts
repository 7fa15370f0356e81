/** Options of a call that may move money. */
export interface SendOptions {
  /**
   * Called once, when the token is available and right before the first byte leaves. If it throws, nothing is sent and the call
   * fails with outcome `not-sent`.
   */
  beforeFirstByte?: () => void;
  signal?: AbortSignal;
}

export interface ReadOptions {
  signal?: AbortSignal;
  /** Waits behind no other read for its turn: it asks whether the bank is there while all others wait for it. */
  goesFirst?: boolean;
}
