import type { CardStore } from './card-store.ts';
import type * as repositories from './repositories.ts';
import type { Repository } from './repository.ts';

export type { SenderSeen } from '../domain/store-past.ts';
export type { AuditEntry } from './audit/entry.ts';
export type { NumberedEntry } from './audit-log.ts';
export type { BatchClaim, ClaimOutcome, ClaimRow, KnownClaim, LookAlike } from './claims.ts';
export type { StoreRole } from './engine/postgres.ts';
export type { NameSeen, PayeeAsked, PayeeHistory } from './payees.ts';
export type { HeldClaim, PayoutChange } from './payout-changes.ts';
export type { Acknowledgement, IncidentRecord } from './reconciliation.ts';
export type * from './repositories.ts';
export type {
  AnsweredTransaction,
  AnswerRecord,
  AttemptOutcome,
  BatchRecord,
  CheckpointRecord,
  KeptCheck,
  LoggedEntry,
  OpenOrder,
  OutboxEvent,
  PayoutRecord,
  RefusedEvent,
  SendAttempt,
  Settled,
  SubscriptionRecord,
  SwitchRecord,
} from './schema.ts';
export type { BookedExchange, ListLook, PaidOrderRecord, ReturnRecord, UnaskedOrder } from './shown-schema.ts';
export type * from './store-identity.ts';

/**
 * What must outlive a workflow's retention: who claimed which payout, what was sent under which reference, the state of every
 * row, and who did what. Times are epoch milliseconds, given by the caller.
 */
export interface Store extends Repository<typeof repositories> {
  /** Random UUID, created with the store and never changed: tells in which store a claim was made. Copies share it. */
  readonly id: string;
  readonly cards: CardStore;
  close(): Promise<void>;
}
