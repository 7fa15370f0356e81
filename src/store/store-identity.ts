/** The world a store belongs to: its claims say nothing about another one. */
export interface StoreIdentity {
  /** Base URL of the bank, or the sandbox's own mark. */
  bank: string;
  /** A digest of each master account that the API key sees. */
  accounts: readonly string[];
  /** Temporal's own id of the cluster. */
  cluster: string;
  namespace: string;
}

/** Who says that the recorded parts are no longer what they are. */
export interface IdentityAcceptance {
  parts: readonly (keyof StoreIdentity)[];
  by: string;
  at: number;
}
