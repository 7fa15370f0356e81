import { expect, it } from 'vitest';
import { MerkleTree } from '../../src/audit/merkle.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createStore } from '../../src/store/kysely-store.ts';
import { migrate } from '../../src/store/migrate.ts';
import { NodeSqliteDialect } from '../../src/store/sqlite-dialect.ts';
import { openSqliteFile } from '../../src/store/sqlite-file.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('The audit', (test) => {
  it('keeps what was done to a subject in the order it was written', async () => {
    const store = await test.open();
    const first = { at: 5_000, actor: 'ann', action: 'approve', subject: 'ref', detail: { note: 'checked' } };
    const second = { at: 4_000, actor: 'bob', action: 'reject', subject: 'ref', detail: {} };
    await store.audit(first);
    await store.audit({ ...first, subject: 'other' });
    await store.audit(second);
    expect(await store.auditOf('ref')).toEqual([first, second]);
  });
});

it('takes over what was written before it was a log', async () => {
  const database = await openSqliteFile(':memory:');
  const db = openDatabase(new NodeSqliteDialect(async () => database));
  await migrate(db, { serial: 'integer' }, '0013-create-signed-decisions');
  for (const n of [3, 1, 7]) {
    database.exec(`insert into audit values (${n}, ${n}, 'ann', 'act', 's', '{"z":"${n}","a":"b"}')`);
  }
  await migrate(db, { serial: 'integer' });
  const store = await createStore(db);
  await store.audit({ at: 9, actor: 'bob', action: 'act', subject: 's', detail: {} });
  const pages = await Array.fromAsync(store.auditLog({ from: 0, to: 9 }));
  const entries = pages.flat();
  expect(entries.map(({ seq, at }) => [seq, at])).toEqual([
    [0, 1],
    [1, 3],
    [2, 7],
    [3, 9],
  ]);
  const tree = new MerkleTree();
  for (const { leafHash } of entries) tree.append(leafHash);
  expect(await store.auditTree()).toEqual({ size: 4, edge: tree.edge });
  await store.close();
});
