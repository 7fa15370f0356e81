import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { originOf, signLog } from '../../../src/platform/audit/open-audit-log.ts';
import { exportedLines, verifyStore } from '../../../src/platform/audit/read-log.ts';
import { verifierOf } from '../../../src/store/audit/checkpoint.ts';
import { verifyExport } from '../../../src/store/audit/verify-log.ts';
import { audit } from '../../../src/store/audit-log.ts';
import { inTransaction, openDatabase } from '../../../src/store/engine/database.ts';
import { nodeSqliteDialect, openSqliteFile } from '../../../src/store/engine/sqlite.ts';
import { openStore } from '../../../src/store/open.ts';
import { tamper } from '../../support/sql.ts';

// What it costs to verify a log of a million entries, unchanged and after each way to tamper with it.
// `node test/drills/bench/audit-log.ts [SIZE]`

const SIZE = Number(process.argv[2] ?? 1_000_000);
const PIECE = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'payouts-audit-'));
const path = join(folder, 'store.sqlite');
const exported = join(folder, 'export.jsonl');
const store = await openStore(`file:${path}`);
const { privateKey: key } = generateKeyPairSync('ed25519');
const signer = { key, verifier: verifierOf(originOf(store), key) };
try {
  await fill();
  await timed('sign', async () => signLog(store, signer, SIZE));
  await timed('export', async () =>
    pipeline(Readable.from(exportedLines(store, signer.verifier)), createWriteStream(exported)),
  );
  console.log(`export: ${statSync(exported).size} bytes`);
  await found('unchanged');
  await timed('verify the export: unchanged', async () => {
    const verdict = await verifyExport(exported, { trusted: signer.verifier, copied: [] });
    return JSON.stringify(verdict.problem ?? verdict.size);
  });
  const last = SIZE - 1;
  await changed('an edit', `update audit_log set actor = 'mallory' where seq = ${last - 5}`);
  await changed('a removal', `delete from audit_log where seq = ${last - 10}`);
  await changed('a reordering', `update audit_log set seq = -seq where seq in (${last - 20}, ${last - 21})`);
  await changed('a removed tail', `delete from audit_log where seq > ${last - 30}`);
} finally {
  await store.close();
  rmSync(folder, { recursive: true });
}

async function fill(): Promise<void> {
  const db = openDatabase(nodeSqliteDialect(() => openSqliteFile(path)));
  await timed(`append ${SIZE}`, async () => {
    for (let from = 0; from < SIZE; from += PIECE) {
      const entries = Array.from({ length: Math.min(PIECE, SIZE - from) }, (_, n) => ({
        at: 1_790_000_000_000 + from + n,
        actor: 'bank',
        action: 'payout completed',
        subject: `po-${from + n}-0123456789abcdef`,
        detail: { orderId: `order-${from + n}`, state: 'completed' },
      }));
      await inTransaction(db, (transaction) => audit(transaction, entries));
    }
  });
  await db.destroy();
}

async function changed(what: string, statement: string): Promise<void> {
  await tamper(`file:${path}`, statement);
  await found(what);
}

async function found(what: string): Promise<void> {
  await timed(`verify the store: ${what}`, async () => {
    const { problem, size } = await verifyStore(store, signer.verifier, []);
    return problem === undefined ? `${size} entries` : `${problem.fault} at ${problem.from}`;
  });
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const [at, cpu] = [performance.now(), process.cpuUsage()];
  const answer = await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const memory = Math.round(process.memoryUsage.rss() / 2 ** 20);
  console.log(
    `${what}: ${seconds(performance.now() - at)} s, CPU ${seconds((user + system) / 1_000)} s, ${memory} MiB`,
    answer ?? '',
  );
}
