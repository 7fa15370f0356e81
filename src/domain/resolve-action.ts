/** What an operator may ask about a payout in `needs-operator`. Each is checked against what the bank shows then. */
export const RESOLVE_ACTIONS = ['keep-looking', 'adopt-order', 'resend', 'close-as-not-paid'] as const;
export type ResolveAction = (typeof RESOLVE_ACTIONS)[number];

/** What an operator says about one. */
export interface ResolveRequest {
  action: ResolveAction;
  by: string;
  /** What it rests on. */
  evidence: string;
  /** The order to adopt. */
  orderId?: string;
  /** Where the policy asks for signatures: the stored decision that says the same. */
  decisionId?: string;
}
