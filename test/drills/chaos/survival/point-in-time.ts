import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ClusterGround, clusterGround } from '../cluster-ground.ts';
import type { Forgotten } from '../options.ts';
import { freePorts, Supervised } from '../processes.ts';
import { type ClusterStack, type Drill, untilOrders } from './drill.ts';

const POLL_MS = 250;

/** Every piece of the log ahead is kept in a folder beside the database. */
function archiving(dir: string): Promise<ClusterGround> {
  const archive = join(dir, 'archive');
  mkdirSync(archive);
  return clusterGround(dir, [
    ...['wal_level=replica', 'archive_mode=on'],
    `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
  ]);
}

export const pointInTime: Drill = {
  name: 'point-in-time restore',
  what: 'the store is restored to a point in time during the run, from a base backup and the archived WAL, while Temporal and the bank keep running',
  needs: () => ({ lay: archiving }),
  async run(stack, handOver) {
    const server = new Tools(stack);
    server.ownFolders();
    await server.program(
      'pg_basebackup',
      '--checkpoint=fast',
      '--dbname',
      stack.ground.adminUrl,
      '--pgdata',
      join(stack.dir, 'base'),
    );
    await untilOrders(stack, 2);
    const moment = await server.ask('select now()');
    // What is paid from here on the restored store does not know. Many may have been on their way at that moment.
    await untilOrders(stack, stack.store.attempts().length + 3);
    const restores: number[] = [];
    let forgotten: Forgotten | undefined;
    await handOver.during(async () => {
      await Promise.all(stack.workers.map((worker) => worker.end()));
      // The log has to hold a commit after the moment, or the server that restores it ends for want of one.
      await server.ask('select pg_current_xact_id()');
      // Temporal goes on writing: what counts is that the log up to here is in the archive.
      const here = await server.ask('select pg_walfile_name(pg_switch_wal())');
      await server.untilTrue(`select last_archived_wal >= '${here}' from pg_stat_archiver`);
      const { store } = stack;
      const before = { attempts: store.attempts(), audits: store.audits() };
      await restoreStore(server, stack, moment);
      forgotten = {
        attempts: missing(before.attempts, store.attempts(), (it) => `${it.reference} ${it.attempt} ${it.sent_at}`),
        audits: missing(before.audits, store.audits(), (it) => JSON.stringify(it)),
      };
      if (forgotten.attempts.length === 0)
        throw new Error('nothing was sent after the moment: the restore proves nothing');
      restores.push(Date.now());
      await Promise.all(stack.workers.map((worker) => worker.start()));
    });
    return { did: ['base backup', 'restore to a point in time'], restores, ...(forgotten && { forgotten }) };
  },
};

/** Of the rows of a table those that a copy does not have. */
function missing<Row>(rows: readonly Row[], copy: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const kept = new Set(copy.map(keyOf));
  return rows.filter((row) => !kept.has(keyOf(row)));
}

/** A second server is brought to the moment, and gives its store to the first, where Temporal's databases stay as they are. */
async function restoreStore(server: Tools, { dir, ground, payoutsWith }: ClusterStack, moment: string): Promise<void> {
  const data = join(dir, 'base');
  writeFileSync(join(data, 'recovery.signal'), '');
  server.own(join(data, 'recovery.signal'));
  const [port = 0] = await freePorts(1);
  const url = new URL(ground.adminUrl);
  url.port = `${port}`;
  const beside = new Supervised({
    ...ground.database.spec,
    name: 'postgres-beside',
    args: [
      ...[
        '-D',
        data,
        '-c',
        `port=${port}`,
        '-c',
        'unix_socket_directories=',
        '-c',
        'archive_mode=off',
        '-c',
        'listen_addresses=127.0.0.1',
      ],
      ...['-c', `restore_command=cp ${join(dir, 'archive')}/%f %p`, '-c', `recovery_target_time=${moment}`],
      ...['-c', 'recovery_target_action=promote', '-c', 'max_connections=200'],
    ],
    logFile: join(dir, 'postgres-beside.log'),
    onStart: undefined,
  });
  await beside.start();
  await server.untilTrue('select not pg_is_in_recovery()', url.href);
  const copy = join(dir, 'archive', 'store.dump');
  url.pathname = '/payouts';
  await server.program('pg_dump', '--format=custom', `--file=${copy}`, url.href);
  await beside.end();
  await server.ask('create database payouts_restored owner payouts_owner');
  await server.ask('revoke all on database payouts_restored from public');
  const target = new URL(ground.adminUrl);
  target.pathname = '/payouts_restored';
  await server.program('pg_restore', '--exit-on-error', `--dbname=${target.href}`, copy);
  const restored = new URL(ground.ownerUrl);
  restored.pathname = target.pathname;
  const { code, stderr } = await payoutsWith({ PAYOUTS_STORE_URL: restored.href }, 'restore', '--yes').ended;
  if (code !== 0) throw new Error(`payouts restore: ${stderr}`);
  await server.ask("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'payouts'");
  await server.ask('alter database payouts rename to payouts_replaced');
  await server.ask('alter database payouts_restored rename to payouts');
}

/** PostgreSQL's own programs, as a person would use them. */
class Tools {
  readonly #stack: ClusterStack;

  constructor(stack: ClusterStack) {
    this.#stack = stack;
  }

  async program(name: string, ...args: string[]): Promise<string> {
    const { user } = this.#stack.ground.database.spec;
    const path = join(this.#stack.ground.postgresPrograms, name);
    return (await promisify(execFile)(path, args, { encoding: 'utf8', ...user })).stdout;
  }

  async ask(sql: string, url = this.#stack.ground.adminUrl): Promise<string> {
    return (await this.program('psql', url, '--no-psqlrc', '--tuples-only', '--no-align', '--command', sql)).trim();
  }

  /** Resolves once the answer is yes; a server on its way up gives none. */
  async untilTrue(sql: string, url = this.#stack.ground.adminUrl): Promise<void> {
    while ((await this.ask(sql, url).catch(() => 'f')) !== 't') await pause(POLL_MS);
  }

  /** The database's user may be another one than ours. */
  own(path: string): void {
    const { user } = this.#stack.ground.database.spec;
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  }

  ownFolders(): void {
    this.own(join(this.#stack.dir, 'archive'));
    const base = join(this.#stack.dir, 'base');
    mkdirSync(base, { mode: 0o700 });
    this.own(base);
  }
}
