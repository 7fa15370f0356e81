import type { ExchangeOrder, PaymentOrder } from '../../src/domain/sent-order.ts';
import type { MovedFacts } from '../../src/reports/movements.ts';
import type { BookedExchange, PaidOrderRecord, SendAttempt } from '../../src/store/store.ts';
import { type RecordChange, record } from './records.ts';

/** Facts for tests of what was moved. */

export const SEEN_AT = Date.UTC(2026, 2, 31, 10);

export const payment: PaymentOrder = {
  accountId: 'acc-eur',
  beneficiaryId: 'ben-1',
  payeeDigest: 'of-payee',
  amount: '10.00',
  currency: 'EUR',
  expiredAt: 0,
};

const exchange: ExchangeOrder = {
  sellAccountId: 'acc-usd',
  buyAccountId: 'acc-eur',
  amount: '11.50',
  currency: 'EUR',
  expiredAt: 0,
  sellCurrency: 'USD',
  quotedSellAmount: '12.40',
};

export const attempt = (values: Partial<SendAttempt> = {}): SendAttempt => ({
  reference: 'ref',
  attempt: 1,
  runId: 'run-1',
  activityId: '1',
  answeredAt: null,
  sentAt: 1,
  listedFrom: null,
  outcome: 'accepted',
  orderId: 'ord-1',
  code: null,
  request: payment,
  resolved: null,
  ...values,
});

/** A payout of 10.00 EUR with a fee of 1.50 EUR. */
export const paidFacts = (values: Partial<MovedFacts> = {}, change: RecordChange = {}): MovedFacts => ({
  payout: record(1, 'completed', { endedAt: SEEN_AT, ...change }),
  attempts: [attempt()],
  exchangeAttempts: [],
  paid: undefined,
  exchange: undefined,
  returns: [],
  incidents: [],
  ...values,
});

export const exchangeAttempt = (values: Partial<SendAttempt> = {}): SendAttempt =>
  attempt({ request: exchange, resolved: 'paid', orderId: 'fx-1', ...values });

export const booked = (values: Partial<BookedExchange> = {}): BookedExchange => ({
  reference: 'ref',
  orderId: 'fx-1',
  soldAmount: '12.5000000000',
  soldCurrency: 'USD',
  boughtAmount: '11.5000000000',
  boughtCurrency: 'EUR',
  rate: '0.92',
  fee: null,
  feeCurrency: null,
  seenAt: SEEN_AT - 1_000,
  ...values,
});

export const paidOrder = (values: Partial<PaidOrderRecord> = {}): PaidOrderRecord => ({
  ...{ reference: 'ref', orderId: 'ord-1', amount: '10.00', currency: 'EUR', accountId: 'acc-1', seenAt: SEEN_AT },
  ...values,
});
