import type { ActivityDeps } from '../services/deps.ts';
import { type AssessInput, assessPayout } from './assess.ts';
import { batchActivities } from './batches.ts';
import { beneficiaryActivities } from './beneficiaries.ts';
import { cardActivities } from './cards.ts';
import { decisionActivities } from './decisions.ts';
import { orderWatchActivities } from './order-watch.ts';
import { orderActivities } from './orders.ts';
import { outboxActivities } from './outbox.ts';
import { type PrepareInput, preparePayout } from './prepare.ts';
import { reconciliationActivities } from './reconciliation.ts';
import { recordActivities } from './records.ts';
import { submitActivities } from './submit.ts';
import { reading, toFailures } from './to-failure.ts';
import { waitActivities } from './waits.ts';

/** Every activity of the product over one set of dependencies. */
export const createActivities = (deps: ActivityDeps) =>
  toFailures({
    prepare: (input: PrepareInput) => preparePayout(deps, input),
    assess: (input: AssessInput) => reading(() => assessPayout(deps, input)),
    ...beneficiaryActivities(deps),
    ...submitActivities(deps),
    ...orderActivities(deps),
    ...decisionActivities(deps),
    ...waitActivities(deps),
    ...recordActivities(deps),
    ...orderWatchActivities(deps),
    ...batchActivities(deps),
    ...outboxActivities(deps),
    ...reconciliationActivities(deps),
    ...cardActivities(deps),
  });

export type Activities = ReturnType<typeof createActivities>;
