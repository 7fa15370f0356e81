import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type LogSigner,
  logSigner,
  originOf,
  rotateLogKey,
  signLog,
  storedVerifier,
} from '../../../src/platform/audit/open-audit-log.ts';
import { exportedLines, verifyStore } from '../../../src/platform/audit/read-log.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import {
  KEY_ROTATED,
  KEY_SUBJECT,
  type LogVerifier,
  parseCheckpoint,
  signCheckpoint,
  verifierOf,
  verifierText,
} from '../../../src/store/audit/checkpoint.ts';
import { MerkleTree } from '../../../src/store/audit/merkle.ts';
import { verifyExport } from '../../../src/store/audit/verify-log.ts';
import type { Store } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { newFolder } from '../../support/new-folder.ts';

let store: Store;
let folder: string;

beforeEach(async () => {
  store = await newStore();
  folder = newFolder();
});

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

const signerOf = async (key: KeyObject): Promise<LogSigner> => {
  const signer = await logSigner(
    { audit: { key: new Secret(key), checkpoints: undefined, spool: undefined }, home: folder },
    store,
  );
  if (signer === undefined) throw new Error('nobody may sign');
  return signer;
};

it('is not taken for a missing one where its home cannot be read', async () => {
  const home = join(folder, 'file');
  writeFileSync(home, '');
  const config = { audit: { key: undefined, checkpoints: undefined, spool: undefined }, home };
  await expect(logSigner(config, store)).rejects.toThrow('ENOTDIR');
});

const act = (n: number) => store.audit({ at: n, actor: 'alice', action: 'act', subject: `s-${n}`, detail: {} });

/** Three keys, one after the other, each with entries that it has signed. */
async function rotated(): Promise<LogVerifier[]> {
  const keys = [newKey(), newKey(), newKey()] as const;
  await act(0);
  for (const [n, key] of keys.entries()) {
    const signer = await signerOf(key);
    await act(n);
    await signLog(store, signer, n);
    await act(n);
    const next = keys[n + 1];
    if (next !== undefined) await rotateLogKey(store, signer, { key: next, by: 'carol', now: n });
    else await signLog(store, signer, n);
  }
  return keys.map((key) => verifierOf(originOf(store), key));
}

const faultOf = async (verifier: LogVerifier) => (await verifyStore(store, verifier, [])).problem?.fault;

async function exported(change: (lines: string[]) => string[] = (lines) => lines): Promise<string> {
  const trusted = await storedVerifier(store);
  if (trusted === undefined) throw new Error('nobody has signed');
  const text = (await Array.fromAsync(exportedLines(store, trusted))).join('');
  const file = join(folder, 'export.jsonl');
  const lines = change(text.trimEnd().split('\n'));
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

describe('A log whose key was replaced', () => {
  it('is whole before and after, for those who trust any of its keys, in the store and as an export', async () => {
    const keys = await rotated();
    const { size } = await store.auditTree();
    expect(await store.auditVerifier()).toBe(verifierText(keys[2] as LogVerifier));
    const file = await exported();
    for (const trusted of keys) {
      expect(await verifyStore(store, trusted, [])).toMatchObject({
        problem: undefined,
        signedSize: size,
        checkpoints: 6,
      });
      expect(await verifyExport(file, { trusted, copied: [] })).toMatchObject({ problem: undefined, signedSize: size });
    }
    expect(await verifyExport(file, { copied: [] })).toMatchObject({ problem: undefined, verifier: keys[2] });
    const entries = await store.auditEntriesOf(KEY_SUBJECT);
    expect(entries.map(({ actor, action }) => `${actor}: ${action}`)).toEqual(Array(2).fill(`carol: ${KEY_ROTATED}`));
  });

  it('is refused to those who trust a key that was never introduced, and by one', async () => {
    const keys = await rotated();
    expect(await faultOf(verifierOf(originOf(store), newKey()))).toBe('forged-checkpoint');
    await act(9);
    const stranger = newKey();
    const tree = new MerkleTree(await store.auditTree());
    const checkpoint = { origin: originOf(store), size: tree.size, root: tree.root() };
    const signed = signCheckpoint(checkpoint, stranger);
    for (const trusted of keys) {
      const { problem } = await verifyStore(store, trusted, [parseCheckpoint(signed.note) ?? signed]);
      expect(problem?.fault).toBe('forged-checkpoint');
    }
  });

  it('takes no key from an entry alone: the one before has to sign for it', async () => {
    const [first, second] = [newKey(), newKey()];
    await act(0);
    const signer = await signerOf(first);
    await signLog(store, signer, 1);
    const to = verifierOf(originOf(store), second);
    const detail = { from: verifierText(signer.verifier), to: verifierText(to) };
    await store.audit({ at: 2, actor: 'mallory', action: KEY_ROTATED, subject: KEY_SUBJECT, detail });
    const tree = new MerkleTree(await store.auditTree());
    const { size, edge } = await store.auditTree();
    const { note } = signCheckpoint({ origin: originOf(store), size, root: tree.root() }, second);
    // As somebody would who may write the store.
    await store.recordCheckpoint({ size, edge, note, at: 3 }, verifierText(signer.verifier));
    expect(await faultOf(signer.verifier)).toBe('forged-checkpoint');
    expect(await faultOf(to)).toBe('forged-checkpoint');
  });

  it('is signed no more by the key before: its process is notified, and what it signs late is refused', async () => {
    const [first, second] = [newKey(), newKey()];
    await act(0);
    const before = await signerOf(first);
    await rotateLogKey(store, before, { key: second, by: 'carol', now: 1 });
    await expect(signerOf(first)).rejects.toMatchObject({ code: 'audit-key' });
    await act(2);
    // It has asked for its key before, and signs now.
    await signLog(store, before, 3);
    const { size } = await store.auditTree();
    expect((await store.lastCheckpoint())?.size).toBe(size - 1);
    const tree = new MerkleTree(await store.auditTree());
    const late = signCheckpoint({ origin: originOf(store), size, root: tree.root() }, first);
    const { verifier } = await signerOf(second);
    expect((await verifyStore(store, verifier, [late])).problem?.fault).toBe('forged-checkpoint');
    expect(await faultOf(verifier)).toBeUndefined();
  });

  it('keeps its key where the log does not go on from what was signed', async () => {
    await act(0);
    const signer = await signerOf(newKey());
    await signLog(store, signer, 1);
    const { size, edge } = await store.auditTree();
    const other = signCheckpoint({ origin: originOf(store), size: size + 1, root: new MerkleTree().root() }, newKey());
    await store.recordCheckpoint({ size: size + 1, edge, note: other.note, at: 2 }, verifierText(signer.verifier));
    await expect(rotateLogKey(store, signer, { key: newKey(), by: 'carol', now: 3 })).rejects.toMatchObject({
      code: 'audit-broken',
    });
    expect(await store.auditVerifier()).toBe(verifierText(signer.verifier));
    expect(await store.auditEntriesOf(KEY_SUBJECT)).toEqual([]);
  });

  it('of an export shows a changed rotation and a cut one', async () => {
    const keys = await rotated();
    const trusted = keys[0] as LogVerifier;
    const changes: ((lines: string[]) => string[])[] = [
      (lines) => lines.map((line) => line.replace('"actor":"carol"', '"actor":"erin"')),
      (lines) => lines.filter((line) => !line.includes(KEY_ROTATED)),
      (lines) => lines.slice(0, -2),
    ];
    for (const change of changes) {
      expect((await verifyExport(await exported(change), { trusted, copied: [] })).problem).toBeDefined();
    }
  });
});
