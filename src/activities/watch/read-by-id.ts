import { readIfThere } from '../../bank/bank-orders.ts';
import { withDeadline } from '../../bank/deadline.ts';
import { isBankError, undefinedIf } from '../../bank/errors.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import type { OpenOrder } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { SLOW_MS } from './tell-end.ts';

const READS_AT_ONCE = 5;
/** A bank that leaves this many reads unanswered is left alone until the next sweep. */
const UNANSWERED_MAX = 20;

/**
 * Reads open orders by their ids and passes on what is shown. Each is read ever more rarely, a tenth of its age apart, and one
 * that the bank does not show holds up no other.
 */
export async function readEachById(
  deps: ActivityDeps,
  signal: AbortSignal,
  owners: readonly OpenOrder[],
  tell: (owner: OpenOrder, order: Order) => Promise<void>,
): Promise<void> {
  const now = deps.now();
  let unanswered = 0;
  await someAtOnce(owners, READS_AT_ONCE, async (owner) => {
    const { openedAt, orderId } = owner;
    const nextLookAt = now + Math.ceil((now - openedAt) / 10);
    // A time later than the next one from now was noted by a clock that was ahead.
    const isPutOff = owner.nextLookAt !== null && now < owner.nextLookAt && owner.nextLookAt <= nextLookAt;
    if (orderId === null || isPutOff || unanswered >= UNANSWERED_MAX) return;
    await deps.store.noteOrder(owner.reference, { nextLookAt });
    const look = () => withDeadline(SLOW_MS, signal, (inTime) => readIfThere(deps, orderId, { signal: inTime }));
    const isAnswered = await undefinedIf(isBankError, async () => {
      const order = await look();
      if (order !== undefined) await tell(owner, order);
      return true;
    });
    if (isAnswered !== true) unanswered += 1;
  });
}
