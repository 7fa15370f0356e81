import type { Database } from './engine/database.ts';

/** A booking further ahead than this came from a wrong clock and is ignored. */
const AHEAD_MAX_MS = 60_000;

/**
 * Books the next `lengthMs` of a call budget for one process, from `at` (epoch ms) or after the bookings of others. Returns when
 * the slice begins. One statement, so no two processes get the same slice.
 */
export async function bookCalls(
  db: Database,
  key: string,
  { at, lengthMs }: { at: number; lengthMs: number },
): Promise<number> {
  const { bookedUntil } = await db
    .insertInto('callBudgets')
    .values({ key, bookedUntil: at + lengthMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        bookedUntil: row
          .case()
          .when(row.between('callBudgets.bookedUntil', at, at + AHEAD_MAX_MS))
          .then(row('callBudgets.bookedUntil', '+', lengthMs))
          .else(at + lengthMs)
          .end(),
      })),
    )
    .returning('bookedUntil')
    .executeTakeFirstOrThrow();
  return bookedUntil - lengthMs;
}
