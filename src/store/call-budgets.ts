import type { Database } from './database.ts';

export const callBudgetRepository = { bookCalls };

/** What is booked further ahead was booked by a clock that was wrong. */
const AHEAD_MAX_MS = 60_000;

/**
 * Books the next `lengthMs` of a budget for one process: from `at` on (epoch ms), or behind what others have booked. Returns when
 * they begin. One statement: no two processes get the same time.
 */
async function bookCalls(
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
