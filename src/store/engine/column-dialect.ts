import {
  AliasNode,
  CamelCasePlugin,
  type ColumnType,
  type Dialect,
  InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryId,
  type QueryResult,
  type RootOperationNode,
  SelectQueryNode,
  SqliteQueryCompiler,
  TableNode,
  type UnknownRow,
  UpdateQueryNode,
} from 'kysely';

/**
 * Names are camelCase in code and snake_case on disk, converted by the rules of kysely's CamelCasePlugin. The plugin itself
 * rewrites every query node by node, which costs more than all else done to the query; here names are converted as the statement
 * is written, and each conversion is cached.
 */
class Names extends CamelCasePlugin {
  readonly onDisk = (name: string): string => this.snakeCase(name);
  readonly inCode = (name: string): string => this.camelCase(name);
}

const { onDisk, inCode } = new Names();

/** A dialect whose compiler writes the names on disk. */
export interface NamingDialect extends Dialect {
  readonly writesNamesOnDisk: true;
}

export class SqliteNamingCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(onDisk(name));
  }
}

class PostgresNamingCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(onDisk(name));
  }
}

export class PostgresNamingDialect extends PostgresDialect implements NamingDialect {
  readonly writesNamesOnDisk = true;

  override createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresNamingCompiler();
  }
}

declare const JSON_OF: unique symbol;

/** The text of a JSON column; only `json` creates it. */
export type JsonText<T> = string & { readonly [JSON_OF]: T };

/** A column of JSON text: read as the value, written as `json(value)`. */
export type Json<T, Written = T> = ColumnType<T, JsonText<Written>, JsonText<Written>>;

/** Null becomes SQL null, not JSON null; undefined stays undefined, which the query builder does not write. */
export const json = <T>(value: T): JsonText<NonNullable<T>> | Extract<T, null | undefined> =>
  (value === null || value === undefined ? value : JSON.stringify(value)) as JsonText<NonNullable<T>>;

type JsonColumnOf<Table> = {
  [C in keyof Table]: NonNullable<Table[C]> extends { readonly __insert__: JsonText<unknown> } ? C : never;
}[keyof Table];

/** The `Json` columns of each table; a missing one does not compile. */
export type JsonColumns<Tables> = {
  readonly [T in keyof Tables as [JsonColumnOf<Tables[T]>] extends [never] ? never : T]: {
    readonly [C in JsonColumnOf<Tables[T]>]: true;
  };
};

/**
 * Returns rows with camelCase names and parsed JSON columns. Kysely's `ParseJSONResultsPlugin` parses any text that looks like
 * JSON, even inside parsed values, and ignores a column's table: the reason `{...}` that a person gave for a switch would come
 * back as an object. Here a column is JSON if a table of the query declares it, so a query over two tables must not return a text
 * of one under the name of a JSON column of the other.
 */
export class StoreColumns implements KyselyPlugin {
  readonly #columnsOf: ReadonlyMap<string, readonly string[]>;
  readonly #json = new WeakMap<QueryId, readonly string[]>();

  constructor(columns: Readonly<Record<string, object>>) {
    this.#columnsOf = new Map(Object.entries(columns).map(([table, its]) => [table, Object.keys(its)]));
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    const columns = tablesRead(node).flatMap((table) => this.#columnsOf.get(table) ?? []);
    if (columns.length > 0) this.#json.set(queryId, columns);
    return node;
  }

  /**
   * Rows are copies of the first one: V8 makes a dictionary of an object that gets this many properties one by one, which is
   * slower by half for thousands of rows, but not of a copy of an object that has them.
   */
  async transformResult({ queryId, result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const [first] = result.rows;
    if (first === undefined) return result;
    const names = Object.keys(first).map((name) => [name, inCode(name)] as const);
    const texts = this.#json.get(queryId) ?? [];
    let shape: UnknownRow = {};
    const rows = result.rows.map((row) => {
      const named = { ...shape };
      for (const [name, column] of names) named[column] = row[name];
      for (const column of texts) {
        const text = named[column];
        if (typeof text === 'string') named[column] = JSON.parse(text);
      }
      if (row === first) shape = { ...named };
      return named;
    });
    return { ...result, rows };
  }
}

/** Names of the tables whose columns a query returns. */
function tablesRead(query: RootOperationNode): string[] {
  const nodes = sourcesOf(query).map((source) => (AliasNode.is(source) ? source.node : source));
  return nodes.flatMap((node) => (TableNode.is(node) ? node.table.identifier.name : []));
}

function sourcesOf(query: RootOperationNode): OperationNode[] {
  if (SelectQueryNode.is(query))
    return [...(query.from?.froms ?? []), ...(query.joins ?? []).map(({ table }) => table)];
  if (InsertQueryNode.is(query)) return query.into === undefined ? [] : [query.into];
  if (UpdateQueryNode.is(query)) return query.table === undefined ? [] : [query.table];
  return [];
}
