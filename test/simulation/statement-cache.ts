import { DatabaseSync, StatementSync } from 'node:sqlite';

/** Statements of one database are prepared once: a simulation asks the same few of them over and over. */
export function cachePreparedStatements(): void {
  const { prepare } = DatabaseSync.prototype;
  const { columns } = StatementSync.prototype;
  const known = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
  const described = new WeakMap<StatementSync, ReturnType<typeof columns>>();
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
    const statements = known.get(this) ?? new Map<string, StatementSync>();
    known.set(this, statements);
    const statement = statements.get(sql) ?? prepare.call(this, sql);
    statements.set(sql, statement);
    return statement;
  };
  StatementSync.prototype.columns = function (this: StatementSync) {
    const description = described.get(this) ?? columns.call(this);
    described.set(this, description);
    return description;
  };
}
