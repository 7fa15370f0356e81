import { CamelCasePlugin, type Dialect, PostgresDialect, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely';

/**
 * Names are camelCase in code and snake_case on disk, converted by the rules of kysely's CamelCasePlugin. The plugin itself
 * rewrites every query node by node, which costs more than all else done to the query; here names are converted as the statement
 * is written, and each conversion is cached.
 */
class Names extends CamelCasePlugin {
  readonly onDisk = (name: string): string => this.snakeCase(name);
  readonly inCode = (name: string): string => this.camelCase(name);
}

export const { onDisk, inCode } = new Names();

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
