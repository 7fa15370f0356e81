import type { BankCall } from '../api/calls.ts';
import type { Metrics } from './metrics.ts';

/** Reads that ask how an order stands. */
const LOOKS: Readonly<Record<string, 'id' | 'list'>> = {
  'GET /v1/banking/transactions/{order_id}': 'id',
  'GET /v1/banking/transactions': 'list',
};

/** Counts and times every call of the bank. */
export function observedCalls({ bankCalls, looks }: Metrics): (call: BankCall) => void {
  return ({ operation, result, ms }) => {
    bankCalls.observe({ operation, result }, ms / 1_000);
    const by = LOOKS[operation];
    if (by !== undefined) looks.inc({ by });
  };
}
