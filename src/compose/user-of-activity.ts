import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { onBehalfOf } from '../api/call-budget.ts';
import { parseWorkflowId } from '../domain/names.ts';
import type { Store } from '../store/store.ts';

/** Workflows that are remembered by their user; then all of them are forgotten. */
const REMEMBERED_MAX = 10_000;

/** What an activity asks the bank counts for the user of its payout, watch or comparison. Of whom is not known counts for nobody. */
export function countedByUser(store: Pick<Store, 'userOf'>): ActivityInterceptorsFactory {
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

/** By the input: that of a watch and of a comparison is a user and a currency, the first one of a payout has its instruction. */
function named([input]: readonly unknown[]): string | undefined {
  const { uid, input: within } = (input ?? {}) as { uid?: unknown; input?: { uid?: unknown } };
  const name = uid ?? within?.uid;
  return typeof name === 'string' ? name : undefined;
}

/** A store that does not answer keeps no activity from saying so itself. */
async function stored(store: Pick<Store, 'userOf'>, workflowId: string): Promise<string | undefined> {
  const ours = parseWorkflowId(workflowId);
  if (ours?.kind !== 'payout') return undefined;
  return store.userOf(ours.key).catch(() => undefined);
}
