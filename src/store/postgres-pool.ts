import { Pool, types } from 'pg';

const INT8 = types.builtins.INT8;
const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to PostgreSQL; `bigint` columns (times, counts) are read as numbers. */
export function openPostgresPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    application_name: 'payouts',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)),
    },
  });
  // Without a listener an idle connection that breaks ends the process. The pool replaces it; the next query reports.
  pool.on('error', () => undefined);
  return pool;
}
