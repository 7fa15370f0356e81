import { parseAmount } from '../../domain/money.ts';
import { badRequest } from '../refusal.ts';

/** Above this, sums could leave 64 bits. Minimum and maximum amounts are not shown (interface section 8). */
const MINOR_MAX = 10n ** 15n;

/** Minor units of an instructed amount. Throws 2002. */
export function readAmount(text: string, currency: string): bigint {
  const amount = parseAmount(text, currency);
  if (!amount.ok) throw badRequest(`amount: ${amount.rule}`);
  if (amount.minor > MINOR_MAX) throw badRequest('amount: too-large');
  return amount.minor;
}
