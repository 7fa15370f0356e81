/**
 * Rows in one statement: 15 columns of 1,000 rows stay under the parameter limits of SQLite (32,766) and PostgreSQL
 * (65,535).
 */
export const ROWS_PER_STATEMENT = 1_000;

/** Consecutive pieces of at most `ROWS_PER_STATEMENT` items. */
export function* chunks<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += ROWS_PER_STATEMENT) {
    yield items.slice(from, from + ROWS_PER_STATEMENT);
  }
}
