import type { PostgresPool } from 'kysely';
import { Pool, types } from 'pg';
import { StoreUnreachableError } from './errors.ts';

const INT8 = types.builtins.INT8;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connections to PostgreSQL; `bigint` columns (times, counts) are read as numbers. What is asked of a server that does not answer,
 * or can take nothing now, throws a `StoreUnreachableError`.
 */
export function openPostgresPool(connectionString: string): PostgresPool {
  const pool = new Pool({
    connectionString,
    application_name: 'payouts',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)),
    },
  });
  // Without a listener a connection that breaks ends the process: an idle one, and one between two statements of a
  // transaction, of which the pool does not hear. The pool replaces both; the next query reports.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const query: (...args: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, { query: (...args: unknown[]) => told(query(...args)) });
  });
  return { connect: () => told(pool.connect()), end: () => pool.end(), options: pool.options };
}

function told<T>(answer: T): T {
  if (!(answer instanceof Promise)) return answer;
  return answer.catch((error: unknown) => {
    throw unreachable(error) ?? error;
  }) as T;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, disk or memory full, shut down; and Node's codes. */
const CODES = /^(?:08\w{3}|53\w{3}|57P0[1-3]|E(?:CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE))$/;
/** What the client says without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

function unreachable(error: unknown): StoreUnreachableError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  return CODES.test(code) || MESSAGES.test(error.message) ? new StoreUnreachableError(code, error) : undefined;
}
