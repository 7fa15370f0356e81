import { CamelCasePlugin, type Dialect, PostgresDialect, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely';

/**
 * Names are camelCase in the code and snake_case on disk, by the rules of kysely's plugin for that. The plugin itself writes every
 * query anew, node by node, which costs more than all else that is done to it: here a name is exchanged where it is written into
 * the statement, and each is worked out once.
 */
class Names extends CamelCasePlugin {
  readonly onDisk = (name: string): string => this.snakeCase(name);
  readonly inCode = (name: string): string => this.camelCase(name);
}

export const { onDisk, inCode } = new Names();

/** One whose statements have the names on disk. */
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
