import { attemptRepository } from './attempts.ts';
import { auditRepository } from './audit.ts';
import { checkpointRepository } from './audit-checkpoints.ts';
import { batchRowRepository } from './batch-rows.ts';
import { batchRepository } from './batches.ts';
import { createCardStore } from './card-store.ts';
import { claimRepository } from './claims.ts';
import type { Database } from './database.ts';
import { factRepository } from './facts.ts';
import { idempotencyRepository } from './idempotency.ts';
import { forgetIdentity, identityRepository, storeId } from './identity.ts';
import { incidentRepository } from './incidents.ts';
import { laneRepository } from './lanes.ts';
import { openOrderRepository } from './open-orders.ts';
import { payoutRepository } from './payouts.ts';
import { quietPayoutRepository } from './quiet-payouts.ts';
import { reconciliationRepository } from './reconciliation.ts';
import { repository } from './repository.ts';
import { restoreRepository } from './restored.ts';
import { signedDecisionRepository } from './signed-decisions.ts';
import type { Store } from './store.ts';
import { switchRepository } from './switches.ts';

/** The store over an open database whose tables are up to date; `close` closes the database. */
export async function createStore(db: Database): Promise<Store> {
  const id = await storeId(db);
  return {
    ...repository(db, claimRepository),
    ...repository(db, payoutRepository),
    ...repository(db, quietPayoutRepository),
    ...repository(db, attemptRepository),
    ...repository(db, openOrderRepository),
    ...repository(db, batchRepository),
    ...repository(db, batchRowRepository),
    ...repository(db, laneRepository),
    ...repository(db, switchRepository),
    ...repository(db, factRepository),
    ...repository(db, incidentRepository),
    ...repository(db, reconciliationRepository),
    ...repository(db, idempotencyRepository),
    ...repository(db, identityRepository),
    ...repository(db, restoreRepository),
    ...repository(db, signedDecisionRepository),
    ...repository(db, auditRepository),
    ...repository(db, checkpointRepository),
    id,
    cards: createCardStore(db),
    forgetIdentity: (acceptance) => forgetIdentity(db, acceptance, id),
    close: () => db.destroy(),
  };
}
