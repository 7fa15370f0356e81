/** How webhooks are verified (interface section 6 shows neither header, scheme nor addresses). */
export interface WebhookSettings {
  scheme: 'standard-webhooks' | 'hmac-sha256' | 'rfc9421' | 'ip';
  /** All are valid at the same time, so that one can replace another. */
  secrets: readonly Buffer[];
  /** `hmac-sha256`: lower-case name of the signature's header. */
  header: string;
  /** `hmac-sha256`: lower-case name of the timestamp's header; if set, `<timestamp>.<body>` is signed. */
  timestampHeader: string | undefined;
  /** Addresses and CIDR ranges from which webhooks may come; empty: any. */
  ips: readonly string[];
  /** How far the sender's clock may be off. */
  toleranceMs: number;
}
