import { parseAmount } from '../../domain/money.ts';
import { badRequest } from '../requests.ts';

/** With larger amounts, sums could exceed 64 bits. The interface shows no minimum or maximum (section 8). */
const MINOR_MAX = 10n ** 15n;

/** The requested amount in minor units. Throws 2002. */
export function readAmount(text: string, currency: string): bigint {
  const amount = parseAmount(text, currency);
  if (!amount.ok) throw badRequest(`amount: ${amount.rule}`);
  if (amount.minor > MINOR_MAX) throw badRequest('amount: too-large');
  return amount.minor;
}
