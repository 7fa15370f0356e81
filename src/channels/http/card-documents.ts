import { z } from 'zod';
import { CARD_STATES, type CardStateView, isCardEnd } from '../../domain/card-payment.ts';
import { iso, isoOrNull } from '../../domain/display.ts';
import { newPaymentId } from '../../domain/new-card-payment.ts';
import { isReasonCode, REASONS } from '../../domain/reasons.ts';
import type { Remedy } from '../../domain/remedy.ts';
import { reasonDocument } from '../../reports/report-document.ts';
import type { CardRecord } from '../../store/card-store.ts';

const schemaVersion = z.literal(1);
const decimal = z.string();

const payment = z
  .object({
    merchant_request_id: z.string(),
    state: z.enum(CARD_STATES),
    reason: reasonDocument.nullable(),
    payment_id: z.string().nullable().describe('of the acquirer'),
    payment_status: z.string().nullable().describe('likewise'),
    amount: decimal,
    currency: z.string(),
    payment_type: z.enum(['AUTH', 'DEBIT']),
    bin: z.string().nullable().describe('first six digits'),
    last_four: z.string().nullable(),
    next_action: z
      .object({ type: z.string(), verify_url: z.string() })
      .nullable()
      .describe("where the cardholder's browser is sent"),
    data_collection_info: z.unknown().describe('of the acquirer, for the device fingerprint'),
    can_pay_again: z.boolean().describe('by POST .../again'),
    workflow_id: z.string().nullable().describe('null for a client secret'),
    url: z.string().nullable().describe('in the Temporal UI; null for a client secret'),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    contradicted: z.boolean().describe('the acquirer later contradicted the end'),
  })
  .meta({ id: 'CardPayment' });

export type CardDocument = z.output<typeof payment>;

export const cardDocument = z.object({ schemaVersion, card_payment: payment });
export const createdDocument = cardDocument
  .extend({
    client_secret: z.string().describe('for its page; the previous one is void'),
    checkout_url: z.string().nullable().describe('of an embedded sandbox'),
  })
  .meta({ id: 'CreatedCardPayment' });
export const cardList = z.object({ schemaVersion, card_payments: z.array(payment) });
export const acceptedDocument = z
  .object({
    schemaVersion,
    accepted: z.boolean().describe('false: the payment has ended'),
  })
  .meta({ id: 'Accepted' });
export const amountDocument = z.object({ schemaVersion, amount: decimal });
export const cancelDocument = z.object({ schemaVersion, outcome: z.enum(['cancelled', 'too-late']) });

/**
 * What is to be done about a payment that waits for a card, its cardholder or the acquirer, and what happens otherwise; undefined if
 * it has ended, or waits for an operator.
 */
export function waitingFor({
  state,
  reason,
}: Pick<CardDocument, 'state' | 'reason'>): Pick<Remedy, 'todo' | 'byItself'> | undefined {
  if (reason === null || isCardEnd(state) || state === 'needs-operator') return undefined;
  return isReasonCode(reason.code) ? REASONS[reason.code] : undefined;
}

/**
 * A payment from the store and, while it is open, from its workflow. `url`: for the merchant's people; `tries`: payments that a
 * page may make for one purchase.
 */
export function documentOf(
  record: CardRecord,
  view: CardStateView | undefined,
  { url, tries }: { url: string | null; tries: number },
): CardDocument {
  const { merchantRequestId, currency, paymentType, workflowId, contradictedAt, endedAt } = record;
  return {
    merchant_request_id: merchantRequestId,
    state: view?.state ?? record.state,
    reason: view === undefined ? record.reason : view.reason,
    payment_id: view?.payment_id ?? record.paymentId,
    payment_status: view?.payment_status ?? (record.state === 'succeeded' ? 'SUCCEEDED' : null),
    amount: view?.amount ?? record.amount,
    currency,
    payment_type: paymentType,
    bin: view?.bin ?? record.bin,
    last_four: view?.last_four ?? record.lastFour,
    next_action: view?.next_action ?? null,
    data_collection_info: view?.data_collection_info ?? null,
    can_pay_again: newPaymentId(record, tries) !== undefined,
    workflow_id: url === null ? null : workflowId,
    url,
    created_at: iso(record.createdAt),
    ended_at: isoOrNull(endedAt),
    contradicted: contradictedAt !== null,
  };
}
