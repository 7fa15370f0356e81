import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { SCHEMA_STEPS } from '../../../src/sandbox/schema.ts';
import { pay } from '../running-sandbox.ts';
import { cardCalls } from './card-calls.ts';

const CARD_TABLES = ['card_sessions', 'card_payments', 'card_requests', 'webhook_endpoint', 'webhook_deliveries'];

/** Makes of a file what the version before cards left. */
function toVersion1(file: string): void {
  const sqlite = new DatabaseSync(file);
  for (const table of CARD_TABLES) sqlite.exec(`DROP TABLE ${table}`);
  sqlite.exec('PRAGMA user_version = 1');
  sqlite.close();
}

const versionOf = (file: string): unknown => {
  const sqlite = new DatabaseSync(file);
  const row = sqlite.prepare('PRAGMA user_version').get();
  sqlite.close();
  return row?.user_version;
};

test('a file of version 1 keeps its books and gets the tables of cards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'bank.sqlite');
  const first = await cardCalls({ file });
  await pay(first.bank, { reference: 'kept' });
  const before = await first.door('GET', '/state');
  await first.sandbox.close();
  toVersion1(file);

  const second = await cardCalls({ file });
  expect(await second.door('GET', '/state')).toEqual(before);
  const { payment_id } = await second.create('success');
  await second.sandbox.close();
  expect(versionOf(file)).toBe(SCHEMA_STEPS.length);

  const third = await cardCalls({ file });
  expect(await third.retrieve(payment_id)).toMatchObject({ payment_status: 'PROCESSING' });
});
