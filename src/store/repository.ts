import type { Database } from './engine/database.ts';

/**
 * A repository is a set of functions over a database, so that they also work on a transaction; `Repository` is what callers see.
 */
export type Repository<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (db: Database, ...given: infer Given) => infer Answer
    ? (...given: Given) => Answer
    : never;
};

type OverDatabase = Record<string, (db: Database, ...given: never[]) => unknown>;

export function repository<Functions extends OverDatabase>(db: Database, functions: Functions): Repository<Functions> {
  const bound = Object.entries(functions).map(([name, its]) => [name, its.bind(null, db)]);
  return Object.fromEntries(bound) as Repository<Functions>;
}
