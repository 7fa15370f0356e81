import type { EventKind } from '../domain/events-out.ts';

// Events for subscribers, and how far each of these has come.

/** That something happened, and to what; the details are read at delivery. */
export interface OutboxEvent {
  /** From 1, without gaps except for deleted events. */
  position: number;
  kind: EventKind;
  /** Payout reference or batch id. */
  subject: string;
  /** User of the payout; null for a batch. */
  uid: string | null;
  at: number;
}

/** How far a subscription has been delivered. */
export interface SubscriptionRecord {
  name: string;
  /** Every event up to it was accepted, did not match, or is among the refused ones. */
  position: number;
  /** Consecutive failed attempts. */
  failures: number;
  /** When the first of them failed; null if the last attempt succeeded. */
  failingSince: number | null;
  /** Why the last one failed, in kebab-case. */
  why: string | null;
  nextTryAt: number | null;
  /** Delivery has been parked since then, until somebody asks for a replay. */
  parkedAt: number | null;
  /** When an event was last accepted. */
  deliveredAt: number | null;
}

/** An event that a working receiver refused, or a later one of the same subject. */
export interface RefusedEvent {
  position: number;
  subject: string;
  since: number;
  failures: number;
  why: string;
  nextTryAt: number;
  /** Since when it is no longer sent; null: it is. */
  parkedAt: number | null;
}
