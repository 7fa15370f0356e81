import type { EventKind } from '../domain/events-out.ts';

/** Tables of events for others, as parts of `Tables`. Times are epoch milliseconds. */
export interface OutboxTables {
  outbox: OutboxEvent;
  /** One row: the position of the last event. Locked by who writes one, so that positions are committed in their order. */
  outboxHead: { id: number; position: number };
  /** One row: the position up to which events have been deleted. Locked by who deletes some, and by a replay. */
  outboxTail: { id: number; position: number };
  subscriptions: SubscriptionRecord & { owner: string | null; ownedUntil: number | null };
  refusedEvents: RefusedEvent & { name: string };
}

/** That something was done, and of what; what is told of it is read when it is delivered. */
export interface OutboxEvent {
  /** From 1, without gaps but for what was deleted. */
  position: number;
  kind: EventKind;
  /** Reference of a payout, or id of a batch. */
  subject: string;
  /** Of the payout; null for a batch. */
  uid: string | null;
  at: number;
}

/** How far a subscription has been told. */
export interface SubscriptionRecord {
  name: string;
  /** Every event up to it was taken, did not concern it, or is among those that it refused. */
  position: number;
  /** Attempts in a row that failed. */
  failures: number;
  /** When the first of them did; null: the last one was taken. */
  failingSince: number | null;
  /** Why the last one failed, in kebab-case. */
  why: string | null;
  nextTryAt: number | null;
  /** Nothing is sent since then, until somebody asks for a replay. */
  parkedAt: number | null;
  /** When something was taken last. */
  toldAt: number | null;
}

/** An event that a working receiver did not take, or one of the same subject behind it. */
export interface RefusedEvent {
  position: number;
  subject: string;
  since: number;
  failures: number;
  why: string;
  nextTryAt: number;
  /** It is not sent again; null: it is. */
  parkedAt: number | null;
}
