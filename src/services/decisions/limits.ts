import type { Limit } from '../../domain/authority.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { addDecimals, compareDecimals } from '../../domain/money.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { Authority } from './verdict.ts';

/**
 * The limit of the policy that a payout would pass, in words; undefined when it fits. Whatever was handed to the bank within 24
 * hours counts, unless it is known to have moved nothing. `beneficiaryId`: whom it pays, where that is known.
 */
export async function limitPassed(
  { store, settings: { policy }, now }: Authority,
  row: PayoutRecord,
  beneficiaryId: string | undefined,
): Promise<string | undefined> {
  const { reference, instruction } = row;
  const { currency, amount, account_id: accountId } = instruction;
  const limits = policy?.limits.filter((limit) => limit.currency === currency) ?? [];
  if (limits.length === 0 || row.kind !== 'payout') return undefined;
  const others = (await store.handedToBank({ currency, since: now() - DAY_MS })).filter(
    (other) => other.reference !== reference,
  );
  const counts: Readonly<Record<Limit['per'], (other: (typeof others)[number]) => boolean>> = {
    day: () => true,
    account: (other) => other.accountId === accountId,
    payee: (other) => other.beneficiaryId !== undefined && other.beneficiaryId === beneficiaryId,
  };
  const passed = limits.find((limit) => {
    const sum = addDecimals(amount, ...others.filter(counts[limit.per]).map((other) => other.amount));
    return compareDecimals(sum, limit.amount) === 1;
  });
  return passed === undefined ? undefined : `${passed.amount} ${passed.currency} per ${passed.per}, within 24 h`;
}
