/** What a store belongs to; its claims say nothing about another bank, key or Temporal. */
export interface StoreIdentity {
  /** Base URL of the bank, or the sandbox's own mark. */
  bank: string;
  /** Digests of the master accounts that the API key sees. */
  accounts: readonly string[];
  /** Digests of the API keys that have shown to be of the customer whose orders these are. */
  key: readonly string[];
  /** Cluster id from Temporal. */
  cluster: string;
  namespace: string;
}

/** Somebody's statement that recorded parts have changed. */
export interface IdentityAcceptance {
  parts: readonly (keyof StoreIdentity)[];
  by: string;
  at: number;
}
