import { sql } from 'kysely';
import { DAY_MS } from '../domain/durations.ts';
import type { SenderSeen } from '../domain/store-past.ts';
import type { Database } from './engine/database.ts';
import { met } from './engine/row-writes.ts';

/** Longer than any process lives and any store rests. */
const KEPT_MS = 800 * DAY_MS;

/** Registers a process that may send, and forgets those of long ago. */
export async function registerSender(db: Database, sender: Omit<SenderSeen, 'endedAt'>): Promise<void> {
  await db
    .deleteFrom('senders')
    .where('aliveAt', '<', sender.aliveAt - KEPT_MS)
    .execute();
  await db
    .insertInto('senders')
    .values({ ...sender, endedAt: null })
    .execute();
}

/** Last seen first. */
export function senders(db: Database): Promise<SenderSeen[]> {
  return db.selectFrom('senders').selectAll().orderBy('aliveAt', 'desc').orderBy('pulses', 'desc').execute();
}

/** How many signs of life of a sender the store knows; undefined: it does not know the sender. */
export async function pulsesOf(db: Database, senderId: string): Promise<number | undefined> {
  const row = await db.selectFrom('senders').select('pulses').where('senderId', '=', senderId).executeTakeFirst();
  return row?.pulses;
}

/**
 * Records a sign of life after `pulses` others, the last one if the process stops sending. False: the store does not know exactly
 * those.
 */
export function recordPulse(
  db: Database,
  { senderId, pulses, at, ends = false }: { senderId: string; pulses: number; at: number; ends?: boolean },
): Promise<boolean> {
  const its = db.updateTable('senders').where('senderId', '=', senderId).where('pulses', '=', pulses);
  return met(its.set({ pulses: pulses + 1, aliveAt: at, endedAt: ends ? at : null }));
}

/** How much the store holds, and when a sender last gave a sign of life; null: none has. */
export async function extent(db: Database): Promise<{ batches: number; payouts: number; usedAt: number | null }> {
  const count = (table: 'batches' | 'payouts') =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  const { usedAt } = await db
    .selectFrom('senders')
    .select(({ fn }) => fn.max<number | null>('aliveAt').as('usedAt'))
    .executeTakeFirstOrThrow();
  return { batches: (await count('batches')).count, payouts: (await count('payouts')).count, usedAt };
}

/** Tells this PostgreSQL database from its copies on the same server. */
export async function databaseMark(db: Database): Promise<{ name: string; mark: string }> {
  const { rows } = await sql<{ name: string; oid: string }>`
    select datname as name, oid::text as oid from pg_database where datname = current_database()`.execute(db);
  const { name, oid } = rows[0] ?? { name: '', oid: '' };
  return { name, mark: `database ${oid}` };
}
