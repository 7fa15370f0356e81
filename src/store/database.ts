import { type Dialect, Kysely } from 'kysely';
import { StoreColumns } from './json-columns.ts';
import { JSON_COLUMNS, type Tables } from './schema.ts';

export type Database = Kysely<Tables>;

/** Its tables are not looked at yet. */
export const openDatabase = (dialect: Dialect): Database =>
  new Kysely<Tables>({ dialect, plugins: [new StoreColumns(JSON_COLUMNS)] });
