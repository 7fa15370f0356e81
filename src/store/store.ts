import type { CardStore } from './card-store.ts';
import type { Repository } from './engine/database.ts';
import type * as repositories from './repositories.ts';

export type { SenderSeen } from '../domain/store-past.ts';
export type { AuditEntry } from './audit/entry.ts';
export type { NumberedEntry } from './audit-log.ts';
export type * from './claims.ts';
export type { StoreRole } from './engine/postgres.ts';
export type * from './erasure.ts';
export type * from './incidents.ts';
export type * from './notice-tables.ts';
export type * from './outbox.ts';
export type * from './outbox-tables.ts';
export type * from './payees.ts';
export type * from './payout-search.ts';
export type * from './payouts.ts';
export type * from './period-tables.ts';
export type * from './periods.ts';
export type * from './repositories.ts';
export type * from './schema.ts';
export type * from './statement-tables.ts';
export type { StoreIdentity } from './store-errors.ts';
export type * from './sums.ts';

/**
 * What must outlive a workflow's retention: who claimed which payout, what was sent under which reference, the state of every
 * row, and who did what. Times are epoch milliseconds, given by the caller.
 */
export interface Store extends Repository<typeof repositories> {
  /** Random UUID, created with the store and never changed: says in which store a claim was made. Copies share it. */
  readonly id: string;
  readonly cards: CardStore;
  close(): Promise<void>;
}
