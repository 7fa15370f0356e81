import { Client } from 'pg';

/** Makes a database of this name, empty or a copy, on the server that `admin` names, and returns its URL. */
export async function createDatabase(admin: string, name: string, copyOf?: string): Promise<string> {
  await onServer(admin, `create database ${name}${copyOf === undefined ? '' : ` template ${copyOf}`}`);
  return urlOfDatabase(admin, name);
}

/** Whoever is still connected to it is thrown out. */
export const dropDatabase = (admin: string, name: string): Promise<void> =>
  onServer(admin, `drop database if exists ${name} with (force)`);

export function urlOfDatabase(admin: string, name: string): string {
  const url = new URL(admin);
  url.pathname = name;
  return url.href;
}

async function onServer(admin: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
