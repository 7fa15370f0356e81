import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { readAmount } from '../bank/amounts.ts';
import type { Books } from '../bank/books.ts';
import type { Database } from '../database.ts';
import { newId } from '../ids.ts';
import { badRequest } from '../refusal.ts';
import { judgeCard, type ShownCard } from './card.ts';
import type { setUpBody } from './requests.ts';
import type { Seals } from './seals.ts';

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
export function useSession(
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
export const newToken = (): string => randomBytes(24).toString('base64url');
