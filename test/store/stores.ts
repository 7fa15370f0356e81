import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, dropDatabase, migrated } from '../support/databases.ts';
import { emptyStore } from '../support/empty-store.ts';

/** A test's own empty store. */
export interface TestStore {
  /** URL of the store, for another process. */
  url(): string;
  /** The same for the role that makes and alters its tables. */
  ownersUrl(): string;
  /** Another connection to the same store; closed after the test. */
  open(): Promise<Store>;
}

interface Backend {
  create(): Promise<{ url: string; owner: string }>;
  /** By its owner. */
  remove(url: string): Promise<void>;
}

const sqlite: Backend = {
  async create() {
    const file = join(mkdtempSync(join(tmpdir(), 'payouts-store-')), 'store.sqlite');
    writeFileSync(file, await emptyStore(), { mode: 0o600 });
    return { url: `file:${file}`, owner: `file:${file}` };
  },
  remove: async (url) => rmSync(join(url.slice('file:'.length), '..'), { recursive: true }),
};

const postgresUrl = process.env.PAYOUTS_TEST_POSTGRES_URL;

let databases = 0;

/** One database a test on the server that `admin` names, used by the role of workers. */
const postgres = (admin: string): Backend => ({
  async create() {
    databases += 1;
    const owner = await createDatabase(admin, `payouts_test_${process.pid}_${Date.now()}_${databases}`);
    return { url: (await migrated(admin, owner)).writer, owner };
  },
  remove: (url) => dropDatabase(admin, new URL(url).pathname.slice(1)),
});

/** Databases this run can reach; PostgreSQL only where `PAYOUTS_TEST_POSTGRES_URL` names a server. */
export const BACKENDS: readonly (readonly [name: string, backend: Backend])[] = [
  ['SQLite', sqlite],
  ...(postgresUrl === undefined ? [] : [['PostgreSQL', postgres(postgresUrl)] as const]),
];

/** Registers the suite once for each database, each test with an empty store of its own. */
export function onEveryStore(subject: string, suite: (store: TestStore) => void): void {
  describe.each(BACKENDS)(`${subject} on %s`, (_name, backend) => {
    let url: string;
    let owner: string;
    let opened: Store[];

    beforeEach(async () => {
      ({ url, owner } = await backend.create());
      opened = [];
    });

    afterEach(async () => {
      await Promise.all(opened.map((store) => store.close()));
      await backend.remove(owner);
    });

    suite({
      url: () => url,
      ownersUrl: () => owner,
      async open() {
        const store = await openStore(url);
        opened.push(store);
        return store;
      },
    });
  });
}
