import type { KeyObject } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isSignedBy,
  type LogVerifier,
  parseCheckpoint,
  parseVerifier,
  type SignedCheckpoint,
  signCheckpoint,
  verifierOf,
  verifierText,
} from '../audit/checkpoint.ts';
import { checkpointMail } from '../audit/checkpoint-mail.ts';
import { leafText } from '../audit/entry.ts';
import { KEY_ROTATED, KEY_SUBJECT, LogKeys, type Rotation, rotationIn } from '../audit/log-keys.ts';
import { leafHash, MerkleTree, type TreeState } from '../audit/merkle.ts';
import { checkpointLine, type Leaf, type LogVerdict, verifyLog } from '../audit/verify-log.ts';
import type { Config } from '../config.ts';
import { Problem } from '../domain/problem.ts';
import type { CheckpointRecord, Store } from '../store/store.ts';
import { keyInHome, makeKeyInHome } from './home-log-key.ts';

/** Name of a store's log and of the key that signs it. */
export const originOf = ({ id }: Pick<Store, 'id'>): string => `durable-payouts/${id}`;

export interface LogSigner {
  key: KeyObject;
  verifier: LogVerifier;
}

/**
 * The signer of this store's log; undefined if another machine has its key. Throws a `Problem` if this machine's key is not the
 * store's.
 */
export async function logSigner(
  { audit, home }: Pick<Config, 'audit' | 'home'>,
  store: Store,
): Promise<LogSigner | undefined> {
  const known = await store.auditVerifier();
  const key = audit.key?.reveal() ?? keyInHome(home) ?? (known === undefined ? makeKeyInHome(home) : undefined);
  if (key === undefined) return undefined;
  const verifier = verifierOf(originOf(store), key);
  const mine = verifierText(verifier);
  if ((await store.recordAuditVerifier(mine)) === mine) return { key, verifier };
  throw new Problem('set-up', 'audit-key', 'The audit log of this store is signed with a different key.', {
    hint: 'Set PAYOUTS_AUDIT_KEY_FILE to the key that signs it now; payouts audit rotate-key replaces it.',
  });
}

/** The key by which the store says it is signed, used if no key is given to trust; undefined if nothing was ever signed. */
export async function storedVerifier(store: Store): Promise<LogVerifier | undefined> {
  const text = await store.auditVerifier();
  return text === undefined ? undefined : parseVerifier(text);
}

/**
 * Signs the log unless it has not grown. Signs only what extends the last checkpoint, so a log rewritten before it gets no new
 * signature. Throws a `Problem` if the log does not extend it.
 */
export async function signLog(store: Store, signer: LogSigner, now: number): Promise<void> {
  const tree = await store.auditTree();
  const last = await store.lastCheckpoint();
  if (tree.size === (last?.size ?? 0)) return;
  const grown = new MerkleTree(signedState(last, signer));
  for await (const page of store.auditLog({ from: grown.size, to: tree.size })) {
    for (const entry of page) grown.append(leafHash(leafText(entry)));
  }
  if (!isSame(grown, tree)) throw brokenLog();
  const { size } = tree;
  const { note } = signCheckpoint({ origin: signer.verifier.name, size, root: grown.root() }, signer.key);
  await store.recordCheckpoint({ size, edge: tree.edge, note, at: now }, verifierText(signer.verifier));
}

/**
 * Lets another key sign the log from now on, by an entry and a checkpoint signed with both keys. Throws a `Problem` if the log
 * does not extend its last checkpoint.
 */
export async function rotateLogKey(
  store: Store,
  signer: LogSigner,
  { key, by, now }: { key: KeyObject; by: string; now: number },
): Promise<LogVerifier> {
  const next = verifierOf(signer.verifier.name, key);
  const verifier = verifierText(next);
  const detail = { from: verifierText(signer.verifier), to: verifier };
  const entry = { at: now, actor: by, action: KEY_ROTATED, subject: KEY_SUBJECT, detail };
  await store.rotateAuditVerifier({ entry, verifier }, ({ last, added, tree }) => {
    const grown = new MerkleTree(signedState(last, signer));
    for (const it of added) grown.append(leafHash(leafText(it)));
    if (!isSame(grown, tree)) throw brokenLog();
    return signCheckpoint({ origin: next.name, size: tree.size, root: grown.root() }, signer.key, key).note;
  });
  return next;
}

function signedState(last: CheckpointRecord | undefined, { verifier }: LogSigner): TreeState | undefined {
  if (last === undefined) return undefined;
  const checkpoint = parseCheckpoint(last.note);
  const { size, edge } = last;
  const signed = checkpoint !== undefined && checkpoint.size === size && isSignedBy(checkpoint, verifier);
  if (!signed || new MerkleTree({ size, edge }).root() !== checkpoint.root) throw brokenLog();
  return { size, edge };
}

const isSame = (a: TreeState, b: TreeState): boolean =>
  a.size === b.size && JSON.stringify(a.edge) === JSON.stringify(b.edge);

const brokenLog = (): Problem =>
  new Problem(
    'refused',
    'audit-broken',
    'The audit log does not continue from its last checkpoint: nothing was signed.',
    {
      hint: 'payouts audit verify shows where it was changed.',
    },
  );

/** Appends the checkpoints not yet copied to a file. After a crash between file and store, some may be there twice. */
export async function copyCheckpoints(store: Store, file: string, now: number): Promise<void> {
  const waiting = await store.waitingCheckpoints('copiedAt');
  const last = waiting.at(-1);
  if (last === undefined) return;
  write(file, 'a', waiting.map(({ note }) => `${note}\n`).join(''));
  await store.markLeft('copiedAt', last.size, now);
}

/**
 * Puts the checkpoints not yet mailed into a folder as mails, from which the machine's mail system, or whoever empties it, takes
 * them. A mail appears complete or not at all; a repeated one gets the same file name.
 */
export async function mailCheckpoints(
  store: Store,
  { folder, to }: NonNullable<Config['audit']['spool']>,
  now: number,
): Promise<void> {
  const waiting = await store.waitingCheckpoints('mailedAt');
  const last = waiting.at(-1);
  if (last === undefined) return;
  for (const { note, at } of waiting) {
    const checkpoint = parseCheckpoint(note);
    if (checkpoint === undefined) continue;
    const { name, text } = checkpointMail(checkpoint, to, at);
    // Mail spools ignore files whose names begin with a dot.
    const begun = join(folder, `.${name}`);
    write(begun, 'w', text);
    renameSync(begun, join(folder, name));
  }
  await store.markLeft('mailedAt', last.size, now);
}

/** On disk when this returns. */
const write = (file: string, flag: 'a' | 'w', text: string): void =>
  writeFileSync(file, text, { flag, mode: 0o600, flush: true });

/** Done by a worker at intervals: signs new entries and publishes new checkpoints. */
export async function keepLog(config: Pick<Config, 'audit' | 'home'>, store: Store, now: number): Promise<void> {
  const signer = await logSigner(config, store);
  if (signer !== undefined) await signLog(store, signer, now);
  const { checkpoints, spool } = config.audit;
  // Independent of each other: one unreachable destination does not hold up the other.
  const left = await Promise.allSettled([
    checkpoints === undefined ? undefined : copyCheckpoints(store, checkpoints, now),
    spool === undefined ? undefined : mailCheckpoints(store, spool, now),
  ]);
  for (const result of left) if (result.status === 'rejected') throw result.reason;
}

/**
 * Checks a store's log while entries may be appended to it.
 *
 * @param copied checkpoints that are kept elsewhere
 */
export async function verifyStore(
  store: Store,
  verifier: LogVerifier,
  copied: readonly (SignedCheckpoint | { note: string })[],
): Promise<LogVerdict> {
  const checkpoints = [...copied];
  for await (const { note } of store.checkpoints()) checkpoints.push(parseCheckpoint(note) ?? { note });
  // Read after the checkpoints, so that it contains all that they sign.
  const tree = await store.auditTree();
  return verifyLog({
    leaves: leavesOf(store, tree.size),
    verifier,
    rotations: await rotationsIn(store),
    checkpoints,
    tree,
    stray: await store.firstEntryOutsideTree(),
  });
}

export async function rotationsIn(store: Store): Promise<Rotation[]> {
  const found: Rotation[] = [];
  for (const { seq } of await store.auditEntries({ subject: KEY_SUBJECT })) {
    for await (const page of store.auditLog({ from: seq, to: seq + 1 })) {
      found.push(...page.flatMap((entry) => rotationIn({ seq, text: leafText(entry) }) ?? []));
    }
  }
  return found;
}

async function* leavesOf(store: Store, to: number): AsyncGenerator<Leaf[]> {
  for await (const page of store.auditLog({ from: 0, to })) {
    yield page.map((entry) => ({ seq: entry.seq, text: leafText(entry), hash: entry.leafHash }));
  }
}

/** Lines of an export: the last checkpoint, then the entries that it covers, with each checkpoint after its last entry. */
export async function* exportedLines(store: Store, verifier: LogVerifier): AsyncGenerator<string> {
  const last = await store.lastCheckpoint();
  if (last === undefined) return;
  const all = await Array.fromAsync(store.checkpoints(), ({ note }) => parseCheckpoint(note) ?? { note });
  const keys = new LogKeys(verifier, await rotationsIn(store), all);
  const lineOf = ({ size, note }: CheckpointRecord): string => checkpointLine(note, verifierText(keys.at(size)));
  yield `${lineOf(last)}\n`;
  const checkpoints = store.checkpoints();
  let next = await checkpoints.next();
  for await (const page of store.auditLog({ from: 0, to: last.size })) {
    const lines: string[] = [];
    for (const entry of page) {
      lines.push(leafText(entry));
      while (!next.done && next.value.size <= entry.seq + 1) {
        lines.push(lineOf(next.value));
        next = await checkpoints.next();
      }
    }
    yield `${lines.join('\n')}\n`;
  }
}
