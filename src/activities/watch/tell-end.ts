import { withDeadline } from '../../bank/deadline.ts';
import { undefinedIf } from '../../bank/errors.ts';
import { Superseded } from '../../domain/claim.ts';
import { mainLegOf, orderEndActivityId } from '../../domain/names.ts';
import type { OpenOrder } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { asPaid, type ReadOrderInput, readOrder } from '../payout/read-order.ts';

/** Others wait for their turn, so it is less patient than the run itself. */
export const SLOW_MS = 5_000;

/**
 * For an order that the list shows paid: reads it, stores the end of its payout in the name of the run that follows it, and tells
 * that run, which need not read it again. The order leaves the open set last: whatever is lost before, the next sweep makes up for.
 *
 * @returns false if the run must decide: it is to be signalled, and reads the order itself
 * @throws BankError if the bank does not show the order in time; nothing is stored
 */
export async function tellEnd(
  deps: ActivityDeps,
  { workflowId, reference }: OpenOrder,
  orderId: string,
  signal: AbortSignal,
): Promise<boolean> {
  // An exchange that funds a payout has a reference of its own, under which there is no row.
  const row = await deps.store.payout(reference);
  // In any other state people, or a search, may have a say.
  if (row?.state !== 'processing') return false;
  const run = { workflowId, runId: row.claimRunId ?? '' };
  // One that has an exchange, or was just told that its order is accepted, does not wait.
  if (!(await deps.executions.awaitsEnd(run, orderId))) return false;
  const caller = { ...run, activityId: orderEndActivityId(orderId) };
  const input: ReadOrderInput = {
    claim: { storeId: deps.store.id, reference, term: row.term },
    leg: mainLegOf(row.kind),
    orderId,
    closedMeans: 'unclear',
    as: 'watched',
  };
  const look = () => withDeadline(SLOW_MS, signal, (inTime) => readOrder(deps, caller, input, inTime));
  const read = await undefinedIf(isSuperseded, () => deps.traced?.(workflowId, 'TellEnd', look) ?? look());
  const paid = read && asPaid(read);
  if (paid === undefined || !(await deps.executions.endOrder(run, orderId, paid))) return false;
  await deps.store.closeOrder(reference);
  return true;
}

const isSuperseded = (error: unknown): boolean => error instanceof Superseded;
