import { readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Migration } from 'kysely/migration';
import { ownModule } from '../../own-files.ts';
import type { ColumnTypes } from './column-types.ts';

type MigrationFile = Readonly<Record<string, (types: ColumnTypes) => Migration>>;

/** Every migration ever released is a file of this folder that exports it alone; a new one sorts behind all others. */
export const migrationNames = (): string[] =>
  readdirSync(new URL('.', import.meta.url))
    .filter((file) => /^\d{4}-.*(?<!\.d)\.[jt]s$/.test(file))
    .map((file) => basename(file, extname(file)))
    .sort();

/** By name, which a store keeps: a released one is never changed, nor its file renamed. */
export async function migrations(types: ColumnTypes): Promise<Record<string, Migration>> {
  const all: Record<string, Migration> = {};
  for (const name of migrationNames()) {
    const file: MigrationFile = await import(ownModule(`store/migrations/${name}`).href);
    for (const migration of Object.values(file)) all[name] = migration(types);
  }
  return all;
}
