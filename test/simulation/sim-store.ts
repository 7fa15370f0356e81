import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../src/store/store.ts';
import type { Product } from './world.ts';

/** A store of the product in memory, and the database under it. */
export interface SimStore {
  store: Store;
  database: DatabaseSync;
}

/** A store without rows, by the product that made its tables: to make them is a quarter of what a seed costs. */
const empty = new WeakMap<Product, Uint8Array>();

export async function openSimStore(product: Product): Promise<SimStore> {
  const { createStore, migrate, nodeSqliteDialect, openDatabase, openSqliteFile } = product;
  const database = await openSqliteFile(':memory:');
  const db = openDatabase(nodeSqliteDialect(async () => database));
  const bytes = empty.get(product);
  if (bytes === undefined) {
    await migrate(db, { kind: 'file', path: ':memory:' });
    empty.set(product, database.serialize());
  } else {
    database.deserialize(bytes);
  }
  return { store: await createStore(db), database };
}

/** A store that begins with everything in another one, its id as well. */
export async function copyOfStore(product: Product, bytes: Uint8Array): Promise<SimStore> {
  const { createStore, nodeSqliteDialect, openDatabase, openSqliteFile } = product;
  const database = await openSqliteFile(':memory:');
  database.deserialize(bytes);
  return { store: await createStore(openDatabase(nodeSqliteDialect(async () => database))), database };
}

export interface RowOf {
  [column: string]: string | number | null;
}

/** Everything a store holds at one moment, without its schema. */
export class StoreCopy {
  private readonly tables: ReadonlyMap<string, RowOf[]>;

  constructor(database: DatabaseSync) {
    const names = database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[];
    const own = names.filter(({ name }) => !name.startsWith('sqlite_') && !name.startsWith('payouts_migration'));
    this.tables = new Map(own.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all() as RowOf[]]));
  }

  rows(table: string): readonly RowOf[] {
    return this.tables.get(table) ?? [];
  }

  /** As if the file had been replaced: nothing that came after the copy is there any more. */
  putInPlace(database: DatabaseSync): void {
    database.exec('pragma foreign_keys = off');
    database.exec('begin');
    for (const [name, rows] of this.tables) {
      database.exec(`delete from "${name}"`);
      for (const row of rows) {
        const columns = Object.keys(row);
        const insert = `insert into "${name}" (${columns.map((column) => `"${column}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`;
        database.prepare(insert).run(...Object.values(row));
      }
    }
    database.exec('commit');
    database.exec('pragma foreign_keys = on');
  }
}
