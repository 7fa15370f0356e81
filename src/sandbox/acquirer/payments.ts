import { readAmount } from '../bank/amounts.ts';
import { newId } from '../ids.ts';
import { badRequest } from '../refusal.ts';
import type { Sandbox } from '../sandbox.ts';
import { judgeCard } from './card.ts';
import { announceCompletion, announceEnd, CONTRADICTION_MS } from './events.ts';
import { type CardPaymentRow, dueCardPayments, requireCardPayment, saveCardPayment } from './payment-row.ts';
import type { CreateRequest, ResumeRequest } from './requests.ts';
import { type Scenario, scenarioNamed } from './scenarios.ts';
import { newToken, useSession } from './sessions.ts';

/**
 * The sandbox's choice of transitions of a card payment; the interface shows those of section 3.
 *
 *   (new) -> PROCESSING -> SUCCEEDED | FAILED
 *   (new) -> FAILED                                        declined
 *   (new) -> REQUIRES_ACTION                               no set-up where one is needed: it stays so
 *   (new) -> REQUIRES_ACTION -> PROCESSING -> SUCCEEDED    resumed after a challenge that was passed
 *                            -> FAILED                     resumed after one that was failed
 */

/** Creates a payment. Throws 2002. */
export function createCardPayment({ books, seals }: Sandbox, request: CreateRequest): CardPaymentRow {
  const { db } = books;
  const at = books.now();
  const { currency, three_ds_info, card: given } = request;
  const minor = readAmount(request.amount, currency);
  const card = judgeCard(given, at);
  const scenario = scenarioNamed(card.scenario);
  const payment_id = newId('pay');
  const referenceId = three_ds_info?.reference_id ?? null;
  if (referenceId !== null) {
    useSession(books, seals, { referenceId, paymentId: payment_id, number: given.number, card, minor, currency });
  }
  const isChallenged = referenceId !== null && scenario.challenge !== undefined;
  if (isChallenged && !request.return_url) throw badRequest('check return_url');
  const row: CardPaymentRow = {
    ...card,
    payment_id,
    merchant_request_id: request.merchant_request_id,
    payment_type: request.payment_type,
    status: firstStatus(scenario, referenceId !== null),
    amount: minor,
    currency,
    reference_id: referenceId,
    challenge: isChallenged ? 'open' : null,
    verify_token: isChallenged ? newToken() : null,
    return_url: request.return_url ?? null,
    created_at: BigInt(at),
    updated_at: BigInt(at),
    due_at: null,
  };
  const created = { ...row, due_at: dueAt(books.profile.cardSettleMs, row) };
  db.insert('card_payments', created);
  if (created.status === 'FAILED') announceEnd(books, created);
  return created;
}

function firstStatus(scenario: Scenario, isSetUp: boolean): CardPaymentRow['status'] {
  if (scenario.declined) return 'FAILED';
  const asks = isSetUp ? scenario.challenge !== undefined : scenario.needsSetUp;
  return asks ? 'REQUIRES_ACTION' : 'PROCESSING';
}

/** Resumes after a challenge; before it is decided, and after the end, nothing changes. Throws 2002, 2005. */
export function resumeCardPayment({ books }: Sandbox, request: ResumeRequest): CardPaymentRow {
  const row = requireCardPayment(books.db, request.payment_id);
  const { reference_id: referenceId, three_ds_info, amount, currency } = request;
  if (row.reference_id !== referenceId || (three_ds_info?.reference_id ?? referenceId) !== referenceId) {
    throw badRequest('reference_id: not the session of this payment');
  }
  if (row.status !== 'REQUIRES_ACTION') return row;
  if (readAmount(amount, currency) !== row.amount || currency !== row.currency) {
    throw badRequest('amount: not the one of this payment');
  }
  if (row.challenge === 'passed') return enter(books, row, 'PROCESSING', books.now());
  if (row.challenge === 'failed') return enter(books, row, 'FAILED', books.now());
  return row;
}

/** The cardholder's decision in an open challenge; only the first counts. */
export function decideChallenge({ books }: Sandbox, row: CardPaymentRow, isConfirmed: boolean): void {
  if (row.challenge !== 'open') return;
  const { challenge, completionUnannounced } = scenarioNamed(row.scenario);
  const isPassed = isConfirmed && challenge === 'confirmed';
  saveCardPayment(books.db, {
    ...row,
    challenge: isPassed ? 'passed' : 'failed',
    updated_at: BigInt(books.now()),
  });
  if (!completionUnannounced) announceCompletion(books, row);
}

/** Makes all due steps of card payments, each at its own time. */
export function takeDueCardSteps({ books }: Sandbox): void {
  const due = dueCardPayments(books.db, books.now());
  if (due.length === 0) return;
  books.db.transaction(() => {
    for (const row of due) enter(books, row, scenarioNamed(row.scenario).end, Number(row.due_at));
  });
}

function enter(
  books: Sandbox['books'],
  row: CardPaymentRow,
  status: CardPaymentRow['status'],
  at: number,
): CardPaymentRow {
  const { capturedAbove = 0n, webhook } = scenarioNamed(row.scenario);
  const amount = status === 'SUCCEEDED' ? row.amount + capturedAbove : row.amount;
  const moved: CardPaymentRow = { ...row, status, amount, updated_at: BigInt(at) };
  const saved = { ...moved, due_at: dueAt(books.profile.cardSettleMs, moved) };
  saveCardPayment(books.db, saved);
  if (status === 'PROCESSING' || webhook === 'none') return saved;
  announceEnd(books, saved);
  if (webhook === 'contradicted') announceEnd(books, saved, 'FAILED', CONTRADICTION_MS);
  return saved;
}

function dueAt(settleMs: number, { status, scenario, updated_at }: CardPaymentRow): bigint | null {
  return status === 'PROCESSING' ? updated_at + BigInt(scenarioNamed(scenario).settleMs ?? settleMs) : null;
}
