import type { Migration } from 'kysely/migration';
import { createTables } from './0001-create-tables.ts';

/** What a migration cannot say the same way in both databases. */
export interface ColumnTypes {
  /** Type of a column that numbers its rows by itself. */
  serial: 'integer' | 'bigserial';
}

/** Every migration ever released, by name. A released one is never changed; a new one sorts behind all others. */
export const migrations = (types: ColumnTypes): Record<string, Migration> => ({
  '0001-create-tables': createTables(types),
});
