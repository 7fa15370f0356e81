import type {
  ClaimedFacts,
  OriginalMessage,
  OriginalTransaction,
  TransactionFacts,
} from '../../../src/domain/bank-message.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { because, type ReasonCode } from '../../../src/domain/reasons.ts';
import type { BatchAnswer } from '../../../src/reports/pain002/status-report.ts';
import { pain002 } from '../../../src/reports/pain002/write-pain002.ts';

/** Facts for tests of the answer. */

export const MESSAGE: OriginalMessage = {
  format: 'pain.001.001.09',
  messageId: 'MSG-1',
  createdAt: '2026-03-30T09:00:00+02:00',
  transactions: '3',
  controlSum: '60.50',
  payments: [
    { paymentId: 'PMT-1', transactions: '2', controlSum: '30.50' },
    { paymentId: 'PMT-2', transactions: '1' },
  ],
};

export const original = (values: Partial<OriginalTransaction> = {}): OriginalTransaction => ({
  payment: 0,
  endToEndId: 'E2E-1',
  amount: '10.50',
  currency: 'EUR',
  ...values,
});

export const payout = (state: PayoutState, reason?: ReasonCode, values: Partial<ClaimedFacts> = {}): ClaimedFacts => ({
  original: original(),
  state,
  reason: reason === undefined ? null : because(reason),
  orderId: null,
  ...values,
});

export async function write(
  transactions: readonly TransactionFacts[],
  values: Partial<BatchAnswer> = {},
): Promise<string> {
  const answer: BatchAnswer = {
    messageId: 'ANSWER-1',
    createdAt: Date.UTC(2026, 2, 31, 10),
    stage: 'final',
    message: MESSAGE,
    transactions: () => transactions,
    ...values,
  };
  return (await Array.fromAsync(pain002(answer))).join('');
}
