import { readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StoreKind } from '../engine/store-url.ts';
import { ownModule } from '../own-files.ts';

interface MigrationFile {
  up(db: Kysely<unknown>, kind: StoreKind): Promise<void>;
}

/** Names of all migrations: each file of this folder is one, and a new one sorts after all others. */
export const migrationNames = (): string[] =>
  readdirSync(new URL('.', import.meta.url))
    .filter((file) => /^\d{4}-.*(?<!\.d)\.[jt]s$/.test(file))
    .map((file) => basename(file, extname(file)))
    .sort();

/** Migrations by name. Stores record the names: never change a released migration or rename its file. */
export async function migrations(kind: StoreKind): Promise<Record<string, Migration>> {
  const all: Record<string, Migration> = {};
  for (const name of migrationNames()) {
    const { up }: MigrationFile = await import(ownModule(`store/migrations/${name}`).href);
    all[name] = { up: (db) => up(db, kind) };
  }
  return all;
}
