import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Runs one statement on the store behind the product's back. */
export async function tamper(url: string, statement: string): Promise<void> {
  if (url.startsWith('file:')) {
    const database = new DatabaseSync(url.slice('file:'.length));
    database.exec(statement);
    database.close();
    return;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
