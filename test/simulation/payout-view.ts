import type { Execution } from './temporal/execution.ts';

/** What the query `state` of a payout answers, as far as it is used here. */
export interface PayoutView {
  state: string;
  orderId: string | null;
  awaited: AskedQuestion | null;
}

export interface AskedQuestion {
  kind: 'payout' | 'bank' | 'hold';
  digest: string;
  expiresAt: string | null;
}

export const viewOf = (execution: Execution): PayoutView =>
  (execution.query('state') ?? { state: 'received', orderId: null, awaited: null }) as PayoutView;

export const questionKey = (reference: string, { kind, digest }: { kind: string; digest: string }): string =>
  `${reference} ${kind} ${digest}`;
