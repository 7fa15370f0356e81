import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { newFolder } from '../support/new-folder.ts';

let folder: string;
let path: string;
let child: ChildProcess;

beforeEach(async () => {
  folder = newFolder();
  path = join(folder, 'store.sqlite');
  child = fork(join(import.meta.dirname, 'fixtures/open-thrice.ts'), [`file:${path}`]);
  await once(child, 'message');
});

afterEach(() => child.kill('SIGKILL'));

async function claimThere(batchId: string): Promise<void> {
  child.send(batchId);
  await once(child, 'message');
}

/** What a process does that opens the store for a moment and leaves it: a copy, a read with another program. */
function visit(): void {
  const database = new DatabaseSync(path);
  database.prepare('select count(*) from batches').get();
  database.close();
}

it('keeps the WAL of a process that has the store open three times when another one leaves it, through a kill', async () => {
  await claimThere('b1');
  visit();
  expect(existsSync(`${path}-wal`)).toBe(true);
  await claimThere('b2');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const store = await openStore(`file:${path}`);
  try {
    expect((await store.batches(10)).map(({ batchId }) => batchId).toSorted()).toEqual(['b1', 'b2']);
  } finally {
    await store.close();
  }
});

/** SHARED_FIRST of SQLite's locking: the first byte that an open connection in WAL mode keeps locked for reading. */
const SHARED_FIRST = 0x40000000 + 2;

// Newer SQLite reads the shared memory as well before it removes a WAL; a `sqlite3` of some years ago reads this only.
it.runIf(process.platform === 'linux')(
  'keeps the lock in that process by which other programs see that it is open',
  () => {
    const held = readFileSync('/proc/locks', 'utf8').split('\n');
    const own = held.filter((lock) => lock.includes(` READ ${child.pid} `) && lock.includes(` ${SHARED_FIRST} `));
    expect(own).toHaveLength(1);
  },
);
