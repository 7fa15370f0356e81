import { type RawBuilder, sql } from 'kysely';
import type { StoreLocation } from '../store-url.ts';

/** What a migration cannot say the same way in both databases. */
export interface ColumnTypes {
  /** Type of a column that numbers its rows by itself. */
  serial: 'integer' | 'bigserial';
  /** Before a table that a crash may empty; undefined where every table is written in the same way. */
  forgetful?: RawBuilder<unknown>;
}

export const COLUMN_TYPES: Readonly<Record<StoreLocation['kind'], ColumnTypes>> = {
  postgres: { serial: 'bigserial', forgetful: sql`unlogged` },
  file: { serial: 'integer' },
};
