import { generateKeyPairSync, hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  copyCheckpoints,
  keepLog,
  type LogSigner,
  logSigner,
  mailCheckpoints,
  originOf,
  signLog,
} from '../../../src/platform/audit/open-audit-log.ts';
import { exportedLines, verifyStore } from '../../../src/platform/audit/read-log.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import { closePeriod } from '../../../src/reports/statements/period-report.ts';
import {
  noteOfMail,
  parseCheckpoint,
  parseCheckpoints,
  verifierOf,
  verifierText,
} from '../../../src/store/audit/checkpoint.ts';
import { leafText, serializedEntry } from '../../../src/store/audit/entry.ts';
import { leafHash, MerkleTree } from '../../../src/store/audit/merkle.ts';
import { verifyExport } from '../../../src/store/audit/verify-log.ts';
import type { Store } from '../../../src/store/store.ts';
import { onEveryStore, type TestStore } from '../../store/stores.ts';
import { newFolder } from '../../support/new-folder.ts';
import { tamper } from '../../support/sql.ts';

const SIZE = 23;
/** Sizes at which the log is signed. */
const SIGNED = [9, 17];
const { privateKey } = generateKeyPairSync('ed25519');

const entry = (n: number) => ({
  at: 1_000 + n,
  actor: 'alice',
  action: 'act',
  subject: `s-${n}`,
  detail: { n: `${n}` },
});

const signerOf = (store: Store, key = privateKey): LogSigner => ({ key, verifier: verifierOf(originOf(store), key) });

/** A log of `SIZE` entries, signed at `SIGNED`, and copies of what was signed. */
async function logged(test: TestStore): Promise<{ store: Store; signer: LogSigner }> {
  const store = await test.open();
  const signer = signerOf(store);
  for (let n = 0; n < SIZE; n += 1) {
    if (SIGNED.includes(n)) await signLog(store, signer, n);
    await store.audit(entry(n));
  }
  return { store, signer };
}

const copiesOf = async (store: Store) => {
  const notes = await Array.fromAsync(store.checkpoints());
  return parseCheckpoints(notes.map(({ note }) => `${note}\n`).join(''));
};

const verdictOf = async (store: Store, copied: Awaited<ReturnType<typeof copiesOf>> = []) =>
  verifyStore(store, signerOf(store).verifier, copied);

/** What a store would hold that had never known anything else than these entries. */
function rewritten(count: number, change: (n: number) => string): { rows: string[]; tree: string } {
  const tree = new MerkleTree();
  const rows = Array.from({ length: count }, (_, n) => {
    const row = serializedEntry({ ...entry(n), actor: change(n) }, n);
    const hash = leafHash(leafText(row));
    tree.append(hash);
    return `update audit_log set actor = '${row.actor}', leaf_hash = '${hash}' where seq = ${n}`;
  });
  return { rows, tree: `update audit_tree set size = ${tree.size}, edge = '${JSON.stringify(tree.edge)}'` };
}

onEveryStore('The log of a store', (test) => {
  it('is whole as it was written, despite concurrent appends', async () => {
    const { store } = await logged(test);
    const copied = await copiesOf(store);
    await Promise.all([23, 24, 25].map((n) => store.audit(entry(n))));
    const verdict = await verdictOf(store, copied);
    expect(verdict).toMatchObject({ problem: undefined, size: 26, checkpoints: 4, signedSize: 17 });
  });

  it('is numbered without a gap when many append at once, from several connections', async () => {
    const stores = await Promise.all([test.open(), test.open(), test.open()]);
    await Promise.all(stores.flatMap((store) => Array.from({ length: 20 }, (_, n) => store.audit(entry(n)))));
    const store = await test.open();
    expect(await verdictOf(store)).toMatchObject({ problem: undefined, size: 60 });
  });

  it('shows each entry whose text was changed, removed, moved or added', async () => {
    for (const n of [0, 8, 16, SIZE - 1]) {
      const { store } = await logged(test);
      const size = (await store.auditTree()).size;
      const at = size - SIZE + n;
      const attempts: [string, string, object][] = [
        [
          `update audit_log set actor = 'bob' where seq = ${at}`,
          `update audit_log set actor = 'alice' where seq = ${at}`,
          { fault: 'edited', from: at },
        ],
        [
          `update audit_log set detail = '{"n":"x"}' where seq = ${at}`,
          `update audit_log set detail = '{"n":"${n}"}' where seq = ${at}`,
          { fault: 'edited', from: at },
        ],
        [
          `update audit_log set at = at + 1 where seq = ${at}`,
          `update audit_log set at = at - 1 where seq = ${at}`,
          { fault: 'edited', from: at },
        ],
        [
          `update audit_log set seq = -1 where seq = ${at}`,
          `update audit_log set seq = ${at} where seq = -1`,
          { from: at },
        ],
      ];
      for (const [change, back, problem] of attempts) {
        await tamper(test.ownersUrl(), change);
        expect((await verdictOf(store)).problem, change).toMatchObject(problem);
        await tamper(test.ownersUrl(), back);
        expect((await verdictOf(store)).problem, back).toBeUndefined();
      }
    }
  });

  it('shows what was added beside it', async () => {
    const { store } = await logged(test);
    for (const seq of [SIZE, 99, -1]) {
      await tamper(
        test.ownersUrl(),
        `insert into audit_log select ${seq}, at, actor, action, subject, detail, leaf_hash from audit_log where seq = 0`,
      );
      expect((await verdictOf(store)).problem).toMatchObject({ fault: 'added', from: seq });
      await tamper(test.ownersUrl(), `delete from audit_log where seq = ${seq}`);
    }
  });

  it('shows two entries that changed places', async () => {
    const { store } = await logged(test);
    const swap = [
      'update audit_log set seq = 100 where seq = 4',
      'update audit_log set seq = 4 where seq = 5',
      'update audit_log set seq = 5 where seq = 100',
    ];
    for (const statement of swap) await tamper(test.ownersUrl(), statement);
    expect((await verdictOf(store)).problem).toMatchObject({ fault: 'edited', from: 4 });
  });

  it('shows a tail that was cut, by the tree or, when that was cut too, by a checkpoint', async () => {
    const { store } = await logged(test);
    if (test.ownersUrl().startsWith('postgres')) {
      await tamper(test.ownersUrl(), 'alter table audit_tree disable trigger audit_tree_grows');
    }
    await tamper(test.ownersUrl(), 'delete from audit_log where seq >= 12');
    expect((await verdictOf(store)).problem).toMatchObject({ fault: 'cut', from: 12, to: SIZE });
    await tamper(test.ownersUrl(), rewritten(12, () => 'alice').tree);
    expect((await verdictOf(store)).problem).toMatchObject({ fault: 'cut', from: 12, to: 17 });
    const copied = await copiesOf(store);
    await tamper(test.ownersUrl(), 'delete from audit_checkpoints where size > 12');
    expect((await verdictOf(store)).problem).toBeUndefined();
    expect((await verdictOf(store, copied)).problem).toMatchObject({ fault: 'cut', from: 12, to: 17 });
  });

  it('shows a history that was written anew with every hash, and does not sign it', async () => {
    const { store, signer } = await logged(test);
    const copied = await copiesOf(store);
    const { rows, tree } = rewritten(SIZE, (n) => (n === 12 ? 'mallory' : 'alice'));
    for (const statement of rows) await tamper(test.ownersUrl(), statement);
    expect((await verdictOf(store)).problem).toMatchObject({ fault: 'rewritten', from: 9, to: 17 });
    await tamper(test.ownersUrl(), tree);
    expect((await verdictOf(store)).problem).toMatchObject({ fault: 'rewritten', from: 9, to: 17 });
    await expect(signLog(store, signer, 1)).rejects.toMatchObject({ code: 'audit-broken' });
    await tamper(test.ownersUrl(), 'delete from audit_checkpoints');
    expect((await verdictOf(store)).problem).toBeUndefined();
    expect((await verdictOf(store, copied)).problem).toMatchObject({ fault: 'rewritten', from: 9, to: 17 });
  });

  it('shows a checkpoint that somebody else has signed', async () => {
    const { store } = await logged(test);
    const copied = await copiesOf(store);
    await tamper(test.ownersUrl(), 'delete from audit_checkpoints');
    await signLog(store, signerOf(store, generateKeyPairSync('ed25519').privateKey), 1);
    expect((await verdictOf(store, copied)).problem).toMatchObject({ fault: 'forged-checkpoint', from: 17 });
  });

  it('is signed on from an edge that was signed', async () => {
    const { store, signer } = await logged(test);
    await tamper(test.ownersUrl(), "update audit_checkpoints set edge = '[]' where size = 17");
    await expect(signLog(store, signer, 1)).rejects.toThrow();
  });

  it('is signed once for each size, and every checkpoint leaves once', async () => {
    const { store, signer } = await logged(test);
    const file = join(newFolder(), 'checkpoints');
    await signLog(store, signer, 1);
    await signLog(store, signer, 2);
    await copyCheckpoints(store, file, 3);
    await copyCheckpoints(store, file, 4);
    const copied = parseCheckpoints(readFileSync(file, 'utf8'));
    expect(copied).toMatchObject([...SIGNED, SIZE].map((size) => ({ size })));
    expect(await verdictOf(store, copied)).toMatchObject({ problem: undefined, checkpoints: 6 });
  });

  it('leaves as a mail too, once for each checkpoint, even if the file is lost', async () => {
    const { store, signer } = await logged(test);
    const home = newFolder();
    const spool = { folder: join(home, 'spool'), to: 'audit@example.com' };
    await signLog(store, signer, 1);
    await expect(mailCheckpoints(store, spool, 2)).rejects.toThrow('ENOENT');
    mkdirSync(spool.folder);
    const audit = { key: new Secret(privateKey), checkpoints: join(home, 'nowhere', 'checkpoints'), spool };
    await expect(keepLog({ audit, home }, store, 3)).rejects.toThrow();
    const mails = readdirSync(spool.folder).map((name) => readFileSync(join(spool.folder, name), 'utf8'));
    expect(mails).toHaveLength(SIGNED.length + 1);
    expect(mails[0]).toMatch(/^Date: [^\r]+ \+0000\r\nFrom: audit@example\.com\r\nTo: audit@example\.com\r\n/);
    const received = mails.map((mail) => parseCheckpoint(noteOfMail(`Received: by relay\r\n${mail}`)));
    const copied = received.filter((checkpoint) => checkpoint !== undefined);
    expect(copied.map(({ size }) => size).sort((a, b) => a - b)).toEqual([...SIGNED, SIZE]);
    expect(await verdictOf(store, copied)).toMatchObject({ problem: undefined });
    rmSync(spool.folder, { recursive: true });
    // Nothing waits any more: the folder is not even searched for.
    await mailCheckpoints(store, spool, 4);
  });

  it('proves the document of a closed period to who has only the document, an export and the public key', async () => {
    const { store, signer } = await logged(test);
    const period = { from: '2026-03-01', to: '2026-03-01' };
    await closePeriod(store, { period, timeZone: 'UTC', by: 'alice', now: Date.parse('2026-03-02') });
    await signLog(store, signer, 1);
    const [kept] = await store.periodDocuments({ period, limit: 1 });
    const folder = newFolder();
    const file = join(folder, 'audit.jsonl');
    writeFileSync(file, (await Array.fromAsync(exportedLines(store, signer.verifier))).join(''));
    expect(await verifyExport(file, { trusted: signer.verifier, copied: [] })).toMatchObject({ problem: undefined });
    const entries = readFileSync(file, 'utf8').trimEnd().split('\n');
    const about = (text: string) => entries.filter((line) => line.includes(hash('sha256', text)));
    expect(about(kept?.text ?? '')).toHaveLength(1);
    expect(JSON.parse(about(kept?.text ?? '')[0] ?? '')).toMatchObject({
      action: 'period closed',
      subject: 'period 2026-03-01..2026-03-01',
    });
    expect(about(`${kept?.text} `)).toEqual([]);
  });

  it('is handed out as lines of which any edit, removal, exchange and cut is found', async () => {
    const { store, signer } = await logged(test);
    await signLog(store, signer, 1);
    const text = (await Array.fromAsync(exportedLines(store, signer.verifier))).join('');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(SIZE + SIGNED.length + 2);
    const folder = newFolder();
    const verdict = async (some: readonly string[]) => {
      const file = join(folder, 'export.jsonl');
      writeFileSync(file, some.map((line) => `${line}\n`).join(''));
      return verifyExport(file, { trusted: signer.verifier, copied: [] });
    };
    expect(await verdict(lines)).toMatchObject({ problem: undefined, size: SIZE, checkpoints: 4 });
    for (let n = 0; n < lines.length; n += 1) {
      const line = lines[n] ?? '';
      const isEntry = !line.startsWith('{"checkpoint"');
      const at = Math.floor(line.length / 2);
      const edited = line.slice(0, at) + (line[at] === 'x' ? 'y' : 'x') + line.slice(at + 1);
      expect((await verdict(lines.with(n, edited))).problem, `line ${n} edited`).toBeDefined();
      expect((await verdict(lines.slice(0, n))).problem, `cut before line ${n}`).toBeDefined();
      if (!isEntry) continue;
      const { seq } = JSON.parse(line);
      expect((await verdict(lines.toSpliced(n, 1))).problem, `line ${n} removed`).toMatchObject({ from: seq });
      expect((await verdict(lines.toSpliced(n, 0, line))).problem, `line ${n} twice`).toMatchObject({ from: seq + 1 });
    }
  });
});

describe('The key of a log', () => {
  let home: string;
  const audit = { key: undefined, checkpoints: undefined, spool: undefined };

  beforeEach(() => {
    home = newFolder();
  });

  onEveryStore('of a store', (test) => {
    it('is made at first use for its owner alone, and is the same from then on', async () => {
      const store = await test.open();
      await store.audit(entry(0));
      await keepLog({ audit, home }, store, 1);
      await store.audit(entry(1));
      await keepLog({ audit, home }, store, 2);
      expect(statSync(join(home, 'audit-key.pem')).mode & 0o777).toBe(0o600);
      expect((await logSigner({ audit, home }, store))?.verifier.name).toBe(originOf(store));
      const verifier = verifierText((await logSigner({ audit, home }, store))?.verifier ?? signerOf(store).verifier);
      expect(verifier).toBe(await store.auditVerifier());
    });

    it('is not made for a store that another machine signs, and another one does not sign it', async () => {
      const store = await test.open();
      await keepLog({ audit: { ...audit, key: new Secret(privateKey) }, home }, store, 1);
      expect(await logSigner({ audit, home }, store)).toBeUndefined();
      const other = new Secret(generateKeyPairSync('ed25519').privateKey);
      await expect(logSigner({ audit: { ...audit, key: other }, home }, store)).rejects.toMatchObject({
        code: 'audit-key',
      });
    });
  });
});
