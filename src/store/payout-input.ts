import type { PayoutRecord } from './store.ts';

/** The input of the workflow type `payout` for a stored row. */
export function payoutInput(row: PayoutRecord): Record<string, string | number> {
  const fields = Object.entries(row.instruction).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...Object.fromEntries(fields),
    ...(row.batchId === null ? {} : { batchId: row.batchId }),
    ...(row.by === null ? {} : { by: row.by }),
    ...(row.generation === 0 ? {} : { generation: row.generation }),
  };
}
