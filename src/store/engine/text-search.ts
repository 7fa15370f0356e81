import { type Expression, type SqlBool, sql } from 'kysely';

// Uses functions common to SQLite and PostgreSQL: `like` is case-sensitive in only one of them, and text sorts differently.

/** The first characters of a column, as many as the prefix has. */
export const beginning = (column: string, prefix: string): Expression<string> =>
  sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit([...prefix].length)})`;

/** Whether a column contains the text, ignoring case. */
export const holding = (column: string, text = ''): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) like ${`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
