import { Client } from 'pg';
import { READER, WRITER } from '../../src/store/engine/postgres.ts';
import { migrateStore } from '../../src/store/open.ts';

/** Makes a database of this name, empty or a copy, on the server that `admin` names, and returns its URL. */
export async function createDatabase(admin: string, name: string, copyOf?: string): Promise<string> {
  await onServer(admin, `create database ${name}${copyOf === undefined ? '' : ` template ${copyOf}`}`);
  return urlOfDatabase(admin, name);
}

/** Open connections to it are ended. */
export const dropDatabase = (admin: string, name: string): Promise<void> =>
  onServer(admin, `drop database if exists ${name} with (force)`);

export function urlOfDatabase(admin: string, name: string): string {
  const url = new URL(admin);
  url.pathname = name;
  return url.href;
}

/** Makes the tables of a database as its owner; returns its URL as a worker or a reader has it. */
export async function migrated(admin: string, url: string): Promise<{ writer: string; reader: string }> {
  await onServer(admin, ROLES);
  await migrateStore(url);
  return { writer: asWriter(url), reader: as(url, READER) };
}

/** Of a cluster's databases, with the tables of a store: `npm run test:cluster` makes it. */
export const TEMPLATE = 'payouts_template';

/** The URL of a database with tables as a worker has it. */
export const asWriter = (url: string): string => as(url, WRITER);

function as(owner: string, role: string): string {
  const url = new URL(owner);
  [url.username, url.password] = [`${role}_of_tests`, 'of-tests'];
  return url.href;
}

/** Logins of tests: the server's own have passwords that tests do not know. One statement, so one at a time. */
const ROLES = [
  'select pg_advisory_lock(1)',
  ...[WRITER, READER].flatMap((role) => [
    `do $$ begin
       if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
       if not exists (select from pg_roles where rolname = '${role}_of_tests') then
         create role ${role}_of_tests login password 'of-tests' in role ${role};
       end if;
     end $$`,
  ]),
].join(';\n');

async function onServer(admin: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
