import { takeUnpaid } from '../../intake/take-file.ts';
import type { ExitCode } from '../exit.ts';
import { findBatch } from '../find-target.ts';
import type { Session } from '../session.ts';
import { type PayOptions, pay } from './run.ts';

interface RetryOptions extends Omit<PayOptions, 'invalid' | 'mapping' | 'payees'> {
  /** Data rows of the batch; absent: all that are proven unpaid. */
  rows: ReadonlySet<number> | undefined;
}

/**
 * `payouts retry ID`: pays rows of a batch that are proven unpaid again, each as the next generation of its document under a new
 * reference. Never for an unknown outcome.
 */
export async function retry(session: Session, id: string, { rows, ...given }: RetryOptions): Promise<ExitCode> {
  const options: PayOptions = { ...given, invalid: 'stop' };
  const batchId = await findBatch(await session.store(), id);
  return pay(session, options, (intake, agree) =>
    takeUnpaid(intake, { batchId, rows }, { ...options, isAttended: true }, agree),
  );
}
