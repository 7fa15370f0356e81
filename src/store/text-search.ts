import { type Expression, type SqlBool, sql } from 'kysely';

// Said with functions that SQLite and PostgreSQL have in common: `like` minds case in one of them alone, and orders of text differ.

/** As many characters of a column as the prefix has. */
export const beginning = (column: string, prefix: string): Expression<string> =>
  sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit([...prefix].length)})`;

/** Whether a column holds a text, in whatever case. */
export const holding = (column: string, text = ''): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) like ${`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
