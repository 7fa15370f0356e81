import type { CallObserver } from '../../bank/calls.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

/** Reads that query the state of an order. */
const LOOKS: Readonly<Record<string, 'id' | 'list'>> = {
  'GET /v1/banking/transactions/{order_id}': 'id',
  'GET /v1/banking/transactions': 'list',
};

/** Counts and times every call of the bank, and adds it to the trace. */
export function observedCalls(
  { bankCalls, looks }: Metrics,
  tracing?: Pick<Tracing, 'bankCall'>,
): (operation: string) => CallObserver {
  return (operation) => {
    const traced = tracing?.bankCall(operation);
    return {
      headers: traced?.headers,
      ended(result, ms) {
        traced?.ended(result, ms);
        bankCalls.observe({ operation, result }, ms / 1_000);
        const by = LOOKS[operation];
        if (by !== undefined) looks.inc({ by });
      },
    };
  };
}
