import { answerRepository } from './answers.ts';
import { attemptRepository } from './attempts.ts';
import { auditRepository } from './audit.ts';
import { checkpointRepository } from './audit-checkpoints.ts';
import { batchRowRepository } from './batch-rows.ts';
import { batchRepository } from './batches.ts';
import { callBudgetRepository } from './call-budgets.ts';
import { claimRepository } from './claims.ts';
import { factRepository } from './facts.ts';
import { idempotencyRepository } from './idempotency.ts';
import { identityRepository } from './identity.ts';
import { incidentRepository } from './incidents.ts';
import { laneRepository } from './lanes.ts';
import { openOrderRepository } from './open-orders.ts';
import { outboxRepository } from './outbox.ts';
import { outboxTailRepository } from './outbox-tail.ts';
import { payeeCheckRepository } from './payee-checks.ts';
import { payeeRepository } from './payees.ts';
import { payoutClaimRepository } from './payout-claims.ts';
import { payoutRepository } from './payouts.ts';
import { quietPayoutRepository } from './quiet-payouts.ts';
import { reconciliationRepository } from './reconciliation.ts';
import { restoreRepository } from './restored.ts';
import { signedDecisionRepository } from './signed-decisions.ts';
import { standingRepository } from './standing.ts';
import { subscriptionRepository } from './subscriptions.ts';
import { switchRepository } from './switches.ts';
import { waitingRepository } from './waiting.ts';

/** All operations of a store: its aggregates, each a set of functions over a database. */
export const repositories = {
  ...claimRepository,
  ...payoutClaimRepository,
  ...payoutRepository,
  ...payeeRepository,
  ...payeeCheckRepository,
  ...quietPayoutRepository,
  ...attemptRepository,
  ...openOrderRepository,
  ...batchRepository,
  ...batchRowRepository,
  ...laneRepository,
  ...switchRepository,
  ...factRepository,
  ...answerRepository,
  ...incidentRepository,
  ...reconciliationRepository,
  ...idempotencyRepository,
  ...callBudgetRepository,
  ...identityRepository,
  ...restoreRepository,
  ...signedDecisionRepository,
  ...standingRepository,
  ...waitingRepository,
  ...auditRepository,
  ...checkpointRepository,
  ...outboxRepository,
  ...outboxTailRepository,
  ...subscriptionRepository,
};
