import { type RawBuilder, sql } from 'kysely';
import type { StoreLocation } from '../store-url.ts';

/** What migrations must write differently for each database. */
export interface ColumnTypes {
  /** Type of an auto-numbered column. */
  serial: 'integer' | 'bigserial';
  /** Modifier of a table that a crash may empty; undefined if there is none. */
  forgetful?: RawBuilder<unknown>;
}

export const COLUMN_TYPES: Readonly<Record<StoreLocation['kind'], ColumnTypes>> = {
  postgres: { serial: 'bigserial', forgetful: sql`unlogged` },
  file: { serial: 'integer' },
};
