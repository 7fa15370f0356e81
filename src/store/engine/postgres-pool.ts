import type { PostgresPool } from 'kysely';
import { Pool, types } from 'pg';
import type { Problem } from '../../domain/problem.ts';
import { StoreRefusedError, StoreUnreachableError } from '../errors.ts';
import { isNameRefused, PreparedStatements, type Statement } from './prepared-statements.ts';

const INT8 = types.builtins.INT8;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connections to PostgreSQL; `bigint` columns (times, counts) are read as numbers. Queries throw a Problem: `store-unreachable`
 * if the server does not answer or cannot write now, `store-refused` if it refuses access.
 */
export function openPostgresPool(connectionString: string): PostgresPool {
  const statements = new PreparedStatements();
  const pool = new Pool({
    connectionString,
    application_name: 'payouts',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)),
    },
  });
  // Without these listeners a broken connection would end the process, be it idle or between two statements of a transaction, of
  // which the pool does not hear. The pool replaces both; the next query reports the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const query: Query = client.query.bind(client);
    Object.assign(client, {
      query(first: unknown, ...rest: unknown[]) {
        const [values] = rest;
        // Cursors and pg's own callback calls are passed through.
        if (typeof first !== 'string' || rest.length > 1) return told(query(first, ...rest));
        return told(prepared(query, statements, { text: first, values: values as unknown[] | undefined }));
      },
    });
  });
  return { connect: () => told(pool.connect()), end: () => pool.end(), options: pool.options };
}

type Query = (...args: unknown[]) => unknown;

/** A statement refused because of its name has done nothing: repeat it once without a name. */
async function prepared(query: Query, statements: PreparedStatements, statement: Statement): Promise<unknown> {
  try {
    return await query(statements.named(statement));
  } catch (error) {
    if (!isNameRefused(error)) throw error;
    statements.refused(error);
    // Within a transaction the repetition fails too; the original error makes `inTransaction` start over.
    return (query(statement) as Promise<unknown>).catch(() => Promise.reject(error));
  }
}

function told<T>(answer: T): T {
  if (!(answer instanceof Promise)) return answer;
  return answer.catch((error: unknown) => {
    throw storeProblemOf(error) ?? error;
  }) as T;
}

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, disk or memory full, shut down; and Node's codes.
 */
const CODES = /^(?:08\w{3}|53\w{3}|57P0[1-3]|E(?:CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE))$/;
const DISK_FULL = '53100';
/** Errors of the client without a code; the last is Kysely's, after a failed rollback. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Postgres connection has been discarded)/;

/** By SQLSTATE, Node's code for certificates, or the client's message if there is no code. */
const REFUSALS: readonly (readonly [RegExp, { why: string; hint: string }])[] = [
  [
    /^28P01$/,
    {
      why: 'does not accept the user or the password',
      hint: 'Check both in PAYOUTS_STORE_URL. Percent-encode : / ? # @ % in a password: # is %23.',
    },
  ],
  [
    /^28000$/,
    {
      why: 'does not let this user in from here',
      hint: "Check the user in PAYOUTS_STORE_URL, and the server's pg_hba.conf: user, database, address, TLS.",
    },
  ],
  [
    /^3D000$/,
    {
      why: 'has no such database',
      hint: 'Correct the name in PAYOUTS_STORE_URL, or create the database (createdb), owned by the user in it.',
    },
  ],
  [
    /^42501$/,
    {
      why: 'lacks a permission for this user',
      hint: 'The roles of the store are in docs/production.md; payouts migrate, run by its owner, grants them what they need.',
    },
  ],
  [
    /^SASL: .*client password/,
    {
      why: 'wants a password, and there is none',
      hint: 'Set it in PAYOUTS_STORE_URL: postgres://USER:PASSWORD@HOST/DATABASE.',
    },
  ],
  [
    /^The server does not support SSL connections/,
    {
      why: 'does not offer TLS',
      hint: 'Turn ssl on in its postgresql.conf, or leave sslmode out of PAYOUTS_STORE_URL if it is on this machine.',
    },
  ],
  [
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/,
    {
      why: 'shows a certificate that is not trusted',
      hint: 'Add sslrootcert=FILE with your CA to PAYOUTS_STORE_URL, use the host name that the certificate is for, and check its dates and the clock.',
    },
  ],
];

export function storeProblemOf(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const shownCode = code === '' ? '' : ` (${code})`;
  if (CODES.test(code) || MESSAGES.test(error.message)) {
    const message = `The store ${code === DISK_FULL ? 'has no space left on its disk' : 'does not answer'}${shownCode}.`;
    // The request may have been carried out: it is safe to repeat.
    const hint = 'Check its PostgreSQL (PAYOUTS_STORE_URL). Nothing is lost: run the same command again.';
    return new StoreUnreachableError('unreachable', 'store-unreachable', message, { hint, cause: error });
  }
  const [, refusal] = REFUSALS.find(([pattern]) => pattern.test(code === '' ? error.message : code)) ?? [];
  if (refusal === undefined) return undefined;
  const { why, hint } = refusal;
  // Nothing of the URL is repeated: it may hold a password.
  const message = `The store's PostgreSQL ${why}${shownCode}.`;
  return new StoreRefusedError('set-up', 'store-refused', message, { hint, cause: error });
}
