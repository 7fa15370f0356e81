import type { CardStore } from './card-store.ts';
import type * as repositories from './repositories.ts';
import type { Repository } from './repository.ts';

export type { SenderSeen } from '../domain/store-past.ts';
export type { AnsweredTransaction, AnswerRecord } from './answer-schema.ts';
export type { AuditEntry } from './audit/entry.ts';
export type { NumberedEntry } from './audit.ts';
export type { CheckpointRecord, LoggedEntry } from './audit-schema.ts';
export type { BatchClaim, ClaimOutcome, ClaimRow, KnownClaim, LookAlike } from './claims.ts';
export type { KeptCheck } from './decision-schema.ts';
export type { StoreRole } from './engine/roles.ts';
export type { Acknowledgement, IncidentRecord } from './incidents.ts';
export type { OutboxEvent, RefusedEvent, SubscriptionRecord } from './outbox-schema.ts';
export type { NameSeen, PayeeAsked, PayeeHistory } from './payees.ts';
export type { HeldClaim, PayoutChange } from './payout-changes.ts';
export type * from './repositories.ts';
export type {
  AttemptOutcome,
  BatchRecord,
  OpenOrder,
  PayoutRecord,
  SendAttempt,
  Settled,
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
