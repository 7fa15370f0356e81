import { formatMinor } from '../../domain/money.ts';
import { Refusal } from '../requests.ts';
import type { Database } from '../sandbox-database.ts';
import type { ScenarioName } from './card.ts';

type PaymentStatus = 'PROCESSING' | 'REQUIRES_ACTION' | 'SUCCEEDED' | 'FAILED';

export interface CardPaymentRow {
  payment_id: string;
  merchant_request_id: string;
  payment_type: string;
  status: PaymentStatus;
  scenario: ScenarioName;
  bin: string;
  last_four: string;
  /** Minor units; after SUCCEEDED the captured amount. */
  amount: bigint;
  currency: string;
  /** The 3-D Secure session with which it was created. */
  reference_id: string | null;
  /** Null: no challenge. */
  challenge: 'open' | 'passed' | 'failed' | null;
  verify_token: string | null;
  return_url: string | null;
  created_at: bigint;
  updated_at: bigint;
  /** Time of its next step by the clock. */
  due_at: bigint | null;
}

export function saveCardPayment(db: Database, row: CardPaymentRow): void {
  const { payment_id, status, amount, challenge, updated_at, due_at } = row;
  db.update('card_payments', { payment_id }, { status, amount, challenge, updated_at, due_at });
}

const COLUMNS = `payment_id, merchant_request_id, payment_type, status, scenario, bin, last_four, amount, currency,
  reference_id, challenge, verify_token, return_url, created_at, updated_at, due_at`;

/** Throws 2005: the interface has no code for unknown card payments. */
export function requireCardPayment(db: Database, paymentId: string): CardPaymentRow {
  const row = db.one<CardPaymentRow>(`SELECT ${COLUMNS} FROM card_payments WHERE payment_id = :paymentId`, {
    paymentId,
  });
  if (row === undefined) throw new Refusal(2005);
  return row;
}

export const cardPaymentOfToken = (db: Database, token: string): CardPaymentRow | undefined =>
  db.one(`SELECT ${COLUMNS} FROM card_payments WHERE verify_token = :token`, { token });

/** `at`: epoch milliseconds. */
export const dueCardPayments = (db: Database, at: number): CardPaymentRow[] =>
  db.all(`SELECT ${COLUMNS} FROM card_payments WHERE due_at <= :at ORDER BY due_at, seq`, { at });

export const allCardPayments = (db: Database): CardPaymentRow[] =>
  db.all(`SELECT ${COLUMNS} FROM card_payments ORDER BY seq`);

/** The answer to create, resume and retrieve. `baseUrl`: the sandbox's address for the cardholder's browser. */
export function toCardPayment(row: CardPaymentRow, baseUrl: string): Record<string, unknown> {
  const { payment_id, status, amount, currency, merchant_request_id, payment_type, created_at } = row;
  const asks = status === 'REQUIRES_ACTION' && row.verify_token !== null;
  return {
    payment_id,
    payment_status: status,
    ...(asks ? { next_action: { type: '3DS', verify_url: `${baseUrl}/3ds/verify/${row.verify_token}` } } : {}),
    amount: formatMinor(amount, currency),
    currency,
    merchant_request_id,
    payment_type,
    created_at: Number(created_at),
  };
}
