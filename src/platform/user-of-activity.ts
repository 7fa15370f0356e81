import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { onBehalfOf } from '../bank/call-budget.ts';
import { parseWorkflowId } from '../domain/names.ts';
import type { Store } from '../store/store.ts';

type Users = Pick<Store, 'userOf'>;

/** The most workflows whose user is cached; then the cache is emptied. */
const REMEMBERED_MAX = 10_000;

/**
 * Attributes the bank calls of an activity to the user of its payout, watch or reconciliation, or to none if that is not known.
 */
export function countedByUser(store: Users): ActivityInterceptorsFactory {
  const known = new Map<string, string>();
  const userOf = async (workflowId: string | undefined, args: readonly unknown[]): Promise<string | undefined> => {
    if (workflowId === undefined) return undefined;
    const uid = known.get(workflowId) ?? named(args) ?? (await stored(store, workflowId));
    if (uid !== undefined && !known.has(workflowId)) {
      if (known.size >= REMEMBERED_MAX) known.clear();
      if (parseWorkflowId(workflowId)?.kind === 'payout') known.set(workflowId, uid);
    }
    return uid;
  };
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const uid = await userOf(info.workflowExecution?.workflowId, input.args);
        return uid === undefined ? await next(input) : await onBehalfOf(uid, () => next(input));
      },
    },
  });
}

/**
 * The user in the activity's input: watch and reconciliation have user and currency, the first activity of a payout its
 * instruction.
 */
function named([input]: readonly unknown[]): string | undefined {
  const { uid, input: within } = (input ?? {}) as { uid?: unknown; input?: { uid?: unknown } };
  const name = uid ?? within?.uid;
  return typeof name === 'string' ? name : undefined;
}

/** If the store does not answer, the activity itself is to report that. */
async function stored(store: Users, workflowId: string): Promise<string | undefined> {
  const ours = parseWorkflowId(workflowId);
  if (ours?.kind !== 'payout') return undefined;
  return store.userOf(ours.key).catch(() => undefined);
}
