/**
 * What an operator may request for a payout in `needs-operator`. Each request is checked against what the bank shows at that
 * time.
 */
export const RESOLVE_ACTIONS = ['keep-looking', 'adopt-order', 'resend', 'close-as-not-paid'] as const;
export type ResolveAction = (typeof RESOLVE_ACTIONS)[number];

export interface ResolveRequest {
  action: ResolveAction;
  by: string;
  /** What the request is based on. */
  evidence: string;
  /** The order to adopt. */
  orderId?: string;
  /** If the policy requires signatures: id of the stored decision with the same content. */
  decisionId?: string;
}
