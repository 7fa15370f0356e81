import type { CardTerms } from '../../src/domain/card-payment.ts';

/** Waits of a card payment, short enough for a test and long enough to keep their order. */
export const quickCardTerms: CardTerms = {
  fingerprintWaitMs: 200,
  deadlineMs: 20_000,
  patienceMs: 2_000,
  statusAgeLimitMs: 60_000,
  repeatWindowMs: 60_000,
  completion: 'notice-or-return',
  pollMs: 200,
  pollMaxMs: 1_000,
};
