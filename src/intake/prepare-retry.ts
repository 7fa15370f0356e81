import { inPages } from '../services/in-pages.ts';
import { provenUnpaid } from '../services/sending/proven-unpaid.ts';
import { judgeRows } from './check-file.ts';
import { type IntakeDeps, type IntakeOptions, type Prepared, planned } from './intake.ts';
import { IntakeRefusal } from './intake-refusal.ts';
import { StagedFile } from './staged-file.ts';

/** Rows of a batch: the given data rows, or all that are proven unpaid. */
export interface UnpaidRows {
  batchId: string;
  rows: ReadonlySet<number> | undefined;
}

export async function prepareRetry(
  deps: IntakeDeps,
  { batchId, rows: wanted }: UnpaidRows,
  options: IntakeOptions,
): Promise<Prepared> {
  const { store, bank } = deps;
  const batch = await store.batch(batchId);
  const staged = new StagedFile();
  try {
    for await (const page of inPages(store.rows(batchId))) {
      const unpaid = wanted === undefined ? await provenUnpaid(store, page) : new Set<string>();
      for (const { row: position, reference, instruction, original } of page) {
        const row = position ?? 0;
        // A named row that is not proven unpaid is a finding; without names, such rows are skipped.
        if (wanted === undefined ? !unpaid.has(reference) : !wanted.has(row)) continue;
        const again = { ...instruction, retry_of: reference } as Record<string, string>;
        staged.row({ row, line: row, instruction: again, ...(original === null ? {} : { original }) });
      }
    }
    staged.readingEnded();
    if (batch === undefined || staged.rowCount === 0) {
      throw new IntakeRefusal(
        'invalid-input',
        'nothing-to-retry',
        'No row of this batch is proven unpaid; nothing was sent.',
        {
          hint: `payouts report ${batchId} shows how each row ended.`,
          batchId,
        },
      );
    }
    const { file, sha256 } = batch;
    await judgeRows(file, staged, bank);
    return await planned(deps, { file, format: 'json', sha256, staged, retryOf: batchId }, options);
  } catch (error) {
    staged[Symbol.dispose]();
    throw error;
  }
}
