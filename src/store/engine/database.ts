import { Kysely } from 'kysely';
import { JSON_COLUMNS, type Tables } from '../schema.ts';
import type { NamingDialect } from './column-names.ts';
import { StoreColumns } from './json-columns.ts';

export type Database = Kysely<Tables>;

/** Does not touch the tables yet. */
export const openDatabase = (dialect: NamingDialect): Database =>
  new Kysely<Tables>({ dialect, plugins: [new StoreColumns(JSON_COLUMNS)] });
