import type { ActivityDeps } from '../services/deps.ts';
import { batchActivities } from './batches.ts';
import { cardActivities } from './cards.ts';
import { orderActivities } from './orders.ts';
import { payoutActivities } from './payouts.ts';
import { reconciliationActivities } from './reconciliation.ts';
import { sendActivities } from './sends.ts';
import { toFailures } from './to-failure.ts';
import { waitActivities } from './waits.ts';

/** Every activity of the product over one set of dependencies. */
export const createActivities = (deps: ActivityDeps) =>
  toFailures({
    ...payoutActivities(deps),
    ...sendActivities(deps),
    ...orderActivities(deps),
    ...waitActivities(deps),
    ...batchActivities(deps),
    ...reconciliationActivities(deps),
    ...cardActivities(deps),
  });

export type Activities = ReturnType<typeof createActivities>;
