import { prepareRetry } from '../../intake/prepare-retry.ts';
import type { ExitCode } from '../exit.ts';
import { findBatch } from '../find-target.ts';
import { intakeParts } from '../intake-parts.ts';
import type { Session } from '../session.ts';
import { payPrepared, type RunOptions, withPrepared } from './run.ts';

export interface RetryOptions extends Omit<RunOptions, 'invalid' | 'mapping' | 'payees'> {
  /** Data rows of the batch; absent: all that are proven unpaid. */
  rows: ReadonlySet<number> | undefined;
}

/**
 * `payouts retry ID`: pays the rows of a batch that are proven unpaid again, each as the next generation of its document
 * under a new reference. An unknown outcome is never paid again.
 */
export async function retry(session: Session, id: string, { rows, ...given }: RetryOptions): Promise<ExitCode> {
  await session.assertStoreFits();
  const options: RunOptions = { ...given, invalid: 'stop' };
  const parts = await intakeParts(session, {});
  const batchId = await findBatch(parts.store, id);
  return withPrepared(
    session,
    (bank) => prepareRetry(parts, bank, { batchId, rows }, options),
    (prepared, outlook) => payPrepared(session, parts, prepared, outlook, options),
  );
}
