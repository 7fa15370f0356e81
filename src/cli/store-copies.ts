import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted, isoOrNull, minuteOf } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import { Problem } from '../domain/problem.ts';
import { bankIdentity } from '../platform/config/bank.ts';
import type { Config } from '../platform/config.ts';
import { lockHome, StackError } from '../platform/embedded/home.ts';
import type { StoreFileFacts } from '../store/engine/store-file.ts';
import { storeLocation } from '../store/engine/store-url.ts';
import { migrateStore } from '../store/open.ts';
import {
  backupStore,
  nameOfDatabase,
  type RestoreOrder,
  recordRestoredDatabase,
  restoreStore,
} from '../store/restore.ts';
import { forgetSeenLog } from '../store/witness.ts';
import { confirm } from './confirm.ts';
import type { Session } from './session.ts';
import { type ConfirmedOptions, nameOf } from './signer.ts';

/** `payouts backup FILE`: a copy of the store as of now, even while a stack is up. */
export async function backup(session: Session, path: string): Promise<void> {
  const file = resolve(path);
  const facts = await backupStore({ store: storeFileOf(session.config, PG_DUMP), file });
  const { size } = statSync(file);
  session.output.result(
    { backup: { file, bytes: size, ...documentOf(facts) } },
    [
      `${file}: ${textOf(facts)}; checked.`,
      'It contains only the store: what was claimed and sent, and how it ended. Temporal and the sandbox are not in it.',
    ].join('\n'),
  );
}

/**
 * `payouts restore FILE`: puts a copy in the place of the store, which is kept beside it. Without a FILE: records in a store on
 * PostgreSQL that PostgreSQL's own tools have restored it.
 */
export async function restore(
  session: Session,
  path: string | undefined,
  { yes, by }: ConfirmedOptions,
): Promise<void> {
  const { config, output } = session;
  const { file, store, question, put } = restoring(config, path);
  const lock = lockHome(config.home);
  if (lock === undefined) {
    throw new StackError('already-up', `a stack is running in ${config.home}`, 'Stop it first, then restore.');
  }
  try {
    const now = Date.now();
    const { facts, replaced } = await put({
      identity: { bank: bankIdentity(config), namespace: config.temporal.namespace },
      by: nameOf(by),
      now,
      confirm: (found) => confirm(`${question} (${textOf(found)})? ${WHAT_IT_MEANS}`, yes),
    });
    forgetSeenLog(config.witnessFolder, (await session.store()).id);
    output.result(
      { restore: { file, store, replaced, restoredAt: new Date(now).toISOString(), ...documentOf(facts) } },
      [
        `${store}: ${textOf(facts)}.`,
        ...(replaced === null ? [] : [`The replaced store: ${replaced}`]),
        WHAT_IT_MEANS,
        ...AFTERWARDS,
      ].join('\n'),
    );
    return;
  } finally {
    lock.release();
  }
}

interface Restoring {
  /** null: restored by PostgreSQL's own tools. */
  file: string | null;
  store: string;
  question: string;
  put(order: Omit<RestoreOrder, 'store' | 'file'>): Promise<{ facts: StoreFileFacts; replaced: string | null }>;
}

/** Exit 2 if FILE is missing for a store in a file, or given for a store on PostgreSQL. */
function restoring(config: Config, path: string | undefined): Restoring {
  const url = config.storeUrl.reveal();
  if (storeLocation(url).kind === 'postgres') {
    if (path !== undefined) throw noStoreFile(PG_RESTORE);
    const store = nameOfDatabase(url);
    return {
      file: null,
      store,
      question: `Record that ${store} was restored and that nothing has used it since`,
      put: async (order) => ({ facts: await recordRestoredDatabase({ ...order, url }), replaced: null }),
    };
  }
  const store = storeFileOf(config, PG_RESTORE);
  if (path === undefined) {
    throw new Problem('usage', 'no-file', `The store is the file ${store}: name the copy to put in its place.`, {
      hint: 'payouts restore FILE, a file that payouts backup wrote.',
    });
  }
  const file = resolve(path);
  const question = `Replace ${store} with ${file}`;
  return { file, store, question, put: (order) => restoreStore({ ...order, store, file }) };
}

const WHAT_IT_MEANS = 'It does not contain what was claimed or sent after the copy was made.';
const AFTERWARDS = [
  'Payouts that have not ended are searched for at the bank before anything of them is sent again.',
  'Compare a file that was taken after the copy with `payouts orders UID CURRENCY` before you run it again.',
];

const PG_DUMP = "Back it up with PostgreSQL's pg_dump --format=custom --file=FILE";
const PG_RESTORE = "Restore it with PostgreSQL's pg_restore, then record that: payouts restore, without a file";

/** The SQLite file of the store; exit 2 if the store is not in a file. */
function storeFileOf({ storeUrl }: Config, onPostgres: string): string {
  const place = storeLocation(storeUrl.reveal());
  if (place.kind === 'file') return place.path;
  throw noStoreFile(onPostgres);
}

const noStoreFile = (onPostgres: string): Problem =>
  new Problem('usage', 'no-store-file', 'The store is in PostgreSQL, not in a file.', { hint: `${onPostgres}.` });

const documentOf = ({ identity, payouts, open, lastChangeAt }: StoreFileFacts): object => ({
  bank: identity.bank,
  namespace: identity.namespace,
  payouts,
  open,
  lastChangeAt: isoOrNull(lastChangeAt),
});

const textOf = ({ identity, payouts, open, lastChangeAt }: StoreFileFacts): string =>
  [
    `store of the bank ${identity.bank}, namespace ${identity.namespace}`,
    `${counted(payouts, 'payout')}, ${groupedAmount(open)} of them open`,
    lastChangeAt === null ? 'no change yet' : `last changed ${minuteOf(lastChangeAt)}`,
  ].join(', ');

/** `payouts migrate`: makes or updates the tables of the store, with the role that owns them; what is there stays. */
export async function migrate({ config, output }: Session): Promise<void> {
  const url = config.storeUrl.reveal();
  const migrations = await migrateStore(url);
  const place = storeLocation(url);
  const store = place.kind === 'file' ? place.path : nameOfDatabase(url);
  output.result(
    { migrate: { store, migrations } },
    `${store}: the tables are those of this version (${migrations.at(-1)}).`,
  );
}
