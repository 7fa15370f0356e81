import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { readAmount } from '../bank/account-book.ts';
import type { Books } from '../bank/books.ts';
import { badRequest, newId, Refusal } from '../requests.ts';
import type { Sandbox, Seals } from '../sandbox.ts';
import type { Database } from '../sandbox-database.ts';
import type { CreateRequest, ResumeRequest, setUpBody } from './card.ts';
import { judgeCard, type Scenario, type ShownCard, scenarioNamed } from './card.ts';
import { type CardPaymentRow, dueCardPayments, requireCardPayment, saveCardPayment } from './payment-row.ts';
import { announceCompletion, announceEnd, CONTRADICTION_MS } from './webhooks.ts';

interface SessionRow extends ShownCard {
  reference_id: string;
  token: string;
  amount: bigint;
  currency: string;
  fingerprinted_at: bigint | null;
  /** The payment that used the session. */
  payment_id: string | null;
  created_at: bigint;
}

/** How long a session can be used; our choice, since the interface shows none. */
const SESSION_LIFE_MS = 15 * 60_000;

/** Starts a 3-D Secure session for one card and amount. Throws 2002. */
export function setUpSession(
  { db, now }: Books,
  seals: Seals,
  { amount, currency, card }: z.infer<typeof setUpBody>,
): { reference_id: string; token: string } {
  const reference_id = newId('3ds');
  const token = newToken();
  const { scenario, bin, last_four } = judgeCard(card, now());
  const minor = readAmount(amount, currency);
  const session = { reference_id, token, scenario, bin, last_four, amount: minor, currency, created_at: now() };
  db.insert('card_sessions', session);
  seals.put(reference_id, card.number);
  return { reference_id, token };
}

/** Marks a session as used. Throws 2002 if it is unknown, used, expired, or for another card, amount or currency. */
function useSession(
  { db, now }: Books,
  seals: Seals,
  use: { referenceId: string; paymentId: string; number: string; card: ShownCard; minor: bigint; currency: string },
): void {
  const { referenceId, paymentId, number, card, minor, currency } = use;
  const session = db.one<SessionRow>('SELECT * FROM card_sessions WHERE reference_id = :referenceId', { referenceId });
  const refuse = (why: string) => badRequest(`three_ds_info.reference_id: ${why}`);
  if (session === undefined) throw refuse('unknown');
  if (session.payment_id !== null) throw refuse('used');
  if (now() >= Number(session.created_at) + SESSION_LIFE_MS) throw refuse('expired');
  if (session.amount !== minor || session.currency !== currency) throw refuse('for another amount');
  const sameDigits = session.bin === card.bin && session.last_four === card.last_four;
  if (!sameDigits || !seals.fits(referenceId, number)) throw refuse('for another card');
  db.update('card_sessions', { reference_id: referenceId }, { payment_id: paymentId });
}

/** Records that a session's device fingerprint was collected; false if there is no such session. */
export function noteFingerprint({ db, now }: Books, token: string): boolean {
  const at = now();
  const sql =
    'UPDATE card_sessions SET fingerprinted_at = COALESCE(fingerprinted_at, :at) WHERE token = :token RETURNING token';
  return db.one(sql, { token, at }) !== undefined;
}

export const allSessions = (db: Database): Omit<SessionRow, 'token'>[] =>
  db.all(`SELECT reference_id, scenario, bin, last_four, amount, currency, fingerprinted_at, payment_id, created_at
          FROM card_sessions ORDER BY rowid`);

/** For URLs that must not be guessable. */
const newToken = (): string => randomBytes(24).toString('base64url');

/** Interface section 8: the same merchant_request_id within this time gets the first response. */
const WINDOW_MS = 24 * 3_600_000;

/**
 * The answer that a known id got, byte for byte; undefined for a new id, and after the window. Refusals changed nothing and are
 * not stored. Throws 2003 for another body under the profile `cardReplay: 'refuse-changed'`.
 */
export function firstAnswer({ books, seals }: Sandbox, requestId: string, body: object): string | undefined {
  const known = books.db.one<{ answer: string }>(
    'SELECT answer FROM card_requests WHERE merchant_request_id = :requestId AND at > :since',
    { requestId, since: books.now() - WINDOW_MS },
  );
  if (known === undefined) return undefined;
  if (books.profile.cardReplay === 'refuse-changed' && !seals.fits(sealed(requestId), JSON.stringify(body))) {
    throw new Refusal(2003, 'merchant_request_id: known with another body');
  }
  return known.answer;
}

export function keepAnswer({ books, seals }: Sandbox, requestId: string, body: object, answer: string): void {
  books.db.run(
    `INSERT INTO card_requests (merchant_request_id, at, answer) VALUES (:requestId, :at, :answer)
     ON CONFLICT (merchant_request_id) DO UPDATE SET at = excluded.at, answer = excluded.answer`,
    { requestId, at: books.now(), answer },
  );
  seals.put(sealed(requestId), JSON.stringify(body));
}

/** A prefix keeps it apart from the seals of sessions, for any id. */
const sealed = (requestId: string): string => `request/${requestId}`;

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
