import { sql } from 'kysely';
import type { PayoutState } from '../domain/payout-state.ts';
import type { IncidentKind } from '../domain/reconciliation.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { isForPeople } from './cards.ts';
import type { Database } from './engine/database.ts';

/** State of the store's work in counts and times (epoch ms), without any id. */
export interface OpenWork {
  /** One entry per state that has payouts without an end. */
  open: readonly { state: PayoutState; count: number; oldestCreatedAt: number; oldestUpdatedAt: number }[];
  /** Open orders that the bank may have, sent before `sentBefore` and not found. */
  unknown: { count: number; oldestSentAt: number | null };
  /** Incidents not acknowledged. */
  incidents: readonly { kind: IncidentKind; count: number }[];
  switchesOff: readonly { scope: SwitchScope; count: number }[];
  /** Card payments that need an operator, or whose end the acquirer contradicts. */
  cardsForPeople: number;
  /** Among watches that are alive, the earliest last sweep; null: there is none. */
  oldestSweepAt: number | null;
  /** Oldest audit entry after the last checkpoint; null: all are signed. */
  oldestUnsignedAt: number | null;
}

/** Reads only indexes of open work. `sentBefore`: what was sent earlier should have been found. */
export async function openWork(db: Database, sentBefore: number): Promise<OpenWork> {
  const { sweptAt } = await db
    .selectFrom('watches')
    .select((row) => row.fn.min<number | null>('sweptAt').as('sweptAt'))
    .executeTakeFirstOrThrow();
  const { cardsForPeople } = await db
    .selectFrom('cardPayments')
    .select((row) => row.fn.countAll<number>().as('cardsForPeople'))
    .where(isForPeople)
    .executeTakeFirstOrThrow();
  return {
    open: await db
      .selectFrom('payouts')
      .select([
        'state',
        (row) => row.fn.countAll<number>().as('count'),
        (row) => row.fn.min<number>('createdAt').as('oldestCreatedAt'),
        (row) => row.fn.min<number>('updatedAt').as('oldestUpdatedAt'),
      ])
      .where('endedAt', 'is', null)
      .groupBy('state')
      .execute(),
    unknown: await unknownOutcomes(db, sentBefore),
    incidents: await db
      .selectFrom('incidents')
      .select(['kind', (row) => row.fn.countAll<number>().as('count')])
      .where('acknowledgedAt', 'is', null)
      .groupBy('kind')
      .execute(),
    switchesOff: await db
      .selectFrom('switches')
      .select(['scope', (row) => row.fn.countAll<number>().as('count')])
      .groupBy('scope')
      .execute(),
    cardsForPeople,
    oldestSweepAt: sweptAt,
    oldestUnsignedAt: await oldestUnsigned(db),
  };
}

/** A found order is followed: its id is known, and its attempt is no longer in doubt. */
async function unknownOutcomes(db: Database, sentBefore: number): Promise<OpenWork['unknown']> {
  const { count, oldestSentAt } = await db
    .selectFrom('sendAttempts')
    .select([
      (row) => row.fn.count<number>('reference').distinct().as('count'),
      (row) => row.fn.min<number | null>('sentAt').as('oldestSentAt'),
    ])
    .where(sql<boolean>`settled is null and (outcome is null or outcome = 'ambiguous')`)
    .where('sentAt', '<', sentBefore)
    .where((row) =>
      row.exists(
        row
          .selectFrom('openOrders')
          .select('openOrders.reference')
          .whereRef('openOrders.reference', '=', 'sendAttempts.reference')
          .where('openOrders.orderId', 'is', null),
      ),
    )
    .executeTakeFirstOrThrow();
  return { count, oldestSentAt };
}

/** Entries are numbered from 0, so the first one after a checkpoint has the checkpoint's size as its number. */
async function oldestUnsigned(db: Database): Promise<number | null> {
  const { signed } = await db
    .selectFrom('auditCheckpoints')
    .select((row) => row.fn.max<number | null>('size').as('signed'))
    .executeTakeFirstOrThrow();
  const entry = await db
    .selectFrom('auditLog')
    .select('at')
    .where('seq', '=', signed ?? 0)
    .executeTakeFirst();
  return entry?.at ?? null;
}
