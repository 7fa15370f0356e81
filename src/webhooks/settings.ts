/** How webhooks are verified (interface section 6: header, scheme and addresses are not shown). */
export interface WebhookSettings {
  scheme: 'standard-webhooks' | 'hmac-sha256' | 'rfc9421' | 'ip';
  /** All in force at once, so that one can take the place of another. */
  secrets: readonly Buffer[];
  /** `hmac-sha256`: lower-case name of the header of the signature. */
  header: string;
  /** `hmac-sha256`: lower-case name of the header of the time; when set, `<timestamp>.<body>` is signed. */
  timestampHeader: string | undefined;
  /** Addresses and CIDR ranges a webhook may come from; empty: any. */
  ips: readonly string[];
  /** How far the sender's clock may be off. */
  toleranceMs: number;
}
