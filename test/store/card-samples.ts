import type { CardClaim, CardStore } from '../../src/store/card-store.ts';

export function cardClaim(merchantRequestId: string, change: Partial<CardClaim> = {}): CardClaim {
  return {
    merchantRequestId,
    workflowId: `card/${merchantRequestId}`,
    amount: '10.50',
    currency: 'USD',
    paymentType: 'DEBIT',
    digest: 'digest-1',
    by: null,
    at: 1_000,
    ...change,
  };
}

export type ReceivedEvent = Parameters<CardStore['receive']>[0];

/** A verified event that names a payment and no intent. */
export function cardEvent(paymentId: string, change: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const event = { kind: 'status', status: 'SUCCEEDED', trust: 'verified', ...change } as const;
  return {
    ...event,
    paymentId,
    receiptId: `${event.trust}/${paymentId}/${event.status}`,
    merchantRequestId: null,
    receivedAt: 2_000,
    ...change,
  };
}
