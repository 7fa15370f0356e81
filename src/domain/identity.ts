import { hash } from 'node:crypto';
import { v5 } from 'uuid';
import { type PayoutInstruction, withoutBound } from './instruction.ts';
import { parseAmount } from './money.ts';
import { type OrderKind, REFERENCE_NAMESPACE } from './names.ts';
import { likeness, type PayeeDetails } from './payee.ts';

/**
 * What identifies a payout: (uid, id) decide the reference; the payload digest decides whether it is still the same instruction.
 * Pure functions, outside `domain` only because they use packages.
 */

/** Lower-case UUIDv5 of `uid/id/kind/generation`; uid and id are used unchanged. */
export function referenceOf(uid: string, id: string, kind: OrderKind = 'payment', generation = 0): string {
  return v5(`${uid}/${id}/${kind}/${generation}`, REFERENCE_NAMESPACE);
}

/**
 * SHA-256 of the instruction without ids, without priority, which does not change what is paid, and without what a plan adds,
 * which a later plan of the same file has otherwise: fields sorted, blank ones omitted, the amount in minor units, so that column
 * order, file format and "10.5" for "10.50" make no difference.
 */
export function payloadDigest(instruction: PayoutInstruction): string {
  const { id: _id, uid: _uid, priority: _priority, ...payload } = withoutBound(instruction);
  const amount = parseAmount(instruction.amount, instruction.currency);
  const entries = Object.entries({ ...payload, amount: amount.ok ? `${amount.minor}` : instruction.amount })
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return hash('sha256', JSON.stringify(entries));
}

/**
 * What the maker of a row signs: its payload, and what its plan has shown of its exchange. `payload`: its digest as it was claimed,
 * where personal data has been erased since.
 */
export function madeDigest(instruction: PayoutInstruction, payload = payloadDigest(instruction)): string {
  const { sell_currency: currency, max_rate: rate, paying_account_id: account, exchanged_by: by } = instruction;
  const bound = [currency, rate, account, ...(by === undefined ? [] : [by])];
  return bound.every((value) => value === undefined) ? payload : hash('sha256', JSON.stringify([payload, ...bound]));
}

/** `madeDigest` of a stored row as it was claimed. */
export const claimedDigest = (row: {
  instruction: PayoutInstruction;
  payloadDigest: string;
  erasedAt: number | null;
}): string => madeDigest(row.instruction, row.erasedAt === null ? undefined : row.payloadDigest);

/**
 * Digest of user, payee, amount and currency, equal for payouts that look alike. Undefined if the row names no payee. With
 * `details`, which the bank has under the payee's id: the key of a row that names the account instead.
 */
export function lookAlikeKey(instruction: PayoutInstruction, details?: PayeeDetails): string | undefined {
  const alike = likeness(instruction, details);
  return alike === undefined ? undefined : hash('sha256', alike).slice(0, 32);
}

/**
 * Digest of what an approval covers: the payee as the bank shows it, the account, the amount and the fee. Not shortened, since it
 * is signed: a maker could find two payouts with the same short digest and have the harmless one approved.
 */
export function approvalDigest(parts: Record<string, string | undefined>): string {
  const entries = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify(entries));
}

type CardIdentity = Record<'merchantRequestId' | 'amount' | 'currency' | 'paymentType', string>;

/** What must be the same for every request with one merchant_request_id: SHA-256, with the amount in minor units. */
export function cardDigest({ merchantRequestId, amount, currency, paymentType }: CardIdentity): string {
  const parsed = parseAmount(amount, currency);
  const parts = [merchantRequestId, parsed.ok ? `${parsed.minor}` : amount, currency, paymentType];
  return hash('sha256', JSON.stringify(parts));
}

/**
 * merchant_request_id of a further request for the same payment: lower-case UUIDv5. With the first one, the acquirer would repeat
 * its first answer for 24 hours (interface section 8).
 */
export function cardRequestId(merchantRequestId: string, step: 'create' | 'resume', n: number): string {
  return v5(`card/${merchantRequestId}/${step}/${n}`, REFERENCE_NAMESPACE);
}
