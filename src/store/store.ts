import type { attemptRepository } from './attempts.ts';
import type { auditRepository } from './audit.ts';
import type { checkpointRepository } from './audit-checkpoints.ts';
import type { batchRowRepository } from './batch-rows.ts';
import type { batchRepository } from './batches.ts';
import type { CardStore } from './card-store.ts';
import type { claimRepository } from './claims.ts';
import type { factRepository } from './facts.ts';
import type { idempotencyRepository } from './idempotency.ts';
import type { identityRepository } from './identity.ts';
import type { incidentRepository } from './incidents.ts';
import type { laneRepository } from './lanes.ts';
import type { openOrderRepository } from './open-orders.ts';
import type { payoutRepository } from './payouts.ts';
import type { quietPayoutRepository } from './quiet-payouts.ts';
import type { reconciliationRepository } from './reconciliation.ts';
import type { Repository } from './repository.ts';
import type { restoreRepository } from './restored.ts';
import type { signedDecisionRepository } from './signed-decisions.ts';
import type { IdentityAcceptance } from './store-identity.ts';
import type { switchRepository } from './switches.ts';

export type { AuditEntry } from '../audit/entry.ts';
export type { NumberedEntry } from './audit.ts';
export type * from './entities.ts';
export type { Acknowledgement, IncidentRecord } from './incidents.ts';
export type { QuietPayout, QuietScope } from './quiet-payouts.ts';
export type {
  AttemptOutcome,
  BatchRecord,
  CheckpointRecord,
  LoggedEntry,
  OpenOrder,
  PayoutRecord,
  ReturnRecord,
  SendAttempt,
  Settled,
  SwitchRecord,
  UnaskedOrder,
} from './schema.ts';
export type * from './store-identity.ts';

/**
 * The store keeps what must outlive a workflow's retention: who claimed which payout, what was sent under which
 * reference, where every row stands, and who did what. Times are epoch milliseconds and given by the caller.
 */
export interface Store
  extends Repository<typeof claimRepository>,
    Repository<typeof payoutRepository>,
    Repository<typeof quietPayoutRepository>,
    Repository<typeof attemptRepository>,
    Repository<typeof openOrderRepository>,
    Repository<typeof batchRepository>,
    Repository<typeof batchRowRepository>,
    Repository<typeof laneRepository>,
    Repository<typeof switchRepository>,
    Repository<typeof factRepository>,
    Repository<typeof incidentRepository>,
    Repository<typeof reconciliationRepository>,
    Repository<typeof idempotencyRepository>,
    Repository<typeof identityRepository>,
    Repository<typeof restoreRepository>,
    Repository<typeof signedDecisionRepository>,
    Repository<typeof auditRepository>,
    Repository<typeof checkpointRepository> {
  /** Random UUID, made with the store and never changed: which store a claim was made in. A copy of a store has the same. */
  readonly id: string;
  readonly cards: CardStore;
  /** With an audit entry under the store's id. The next `identify` records these parts anew. */
  forgetIdentity(acceptance: IdentityAcceptance): Promise<void>;
  close(): Promise<void>;
}
