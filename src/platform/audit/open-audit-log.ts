import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../domain/problem.ts';
import {
  checkpointMail,
  ed25519Key,
  isSignedBy,
  KEY_ROTATED,
  KEY_SUBJECT,
  type LogVerifier,
  parseCheckpoint,
  parseVerifier,
  type SignedCheckpoint,
  signCheckpoint,
  verifierOf,
  verifierText,
} from '../../store/audit/checkpoint.ts';
import { leafText } from '../../store/audit/entry.ts';
import { leafHash, MerkleTree, type TreeState } from '../../store/audit/merkle.ts';
import type { CheckpointRecord, Store } from '../../store/store.ts';
import { readSeenLog, seenLogFile, writeSeenLog } from '../../store/witness.ts';
import type { Config } from '../config.ts';
import { createSecretFile, readSecretFile, replaceSecretFile } from '../secret-file.ts';

type LogConfig = Pick<Config, 'audit' | 'home'> & Partial<Pick<Config, 'witnessFolder'>>;

/** The private key that signs checkpoints, in a home: PKCS #8 in PEM. */
const fileIn = (home: string): string => join(home, 'audit-key.pem');

/** Undefined if the home has no key. */
function keyInHome(home: string): KeyObject | undefined {
  const pem = readSecretFile(fileIn(home));
  return pem === undefined ? undefined : ed25519Key(pem);
}

/** If two processes do this at the same time, both get the same key. */
const createKeyInHome = (home: string): KeyObject =>
  ed25519Key(createSecretFile(fileIn(home), pemOf(generateKeyPairSync('ed25519').privateKey)));

/** Overwrites the previous key, which must not be needed any more. */
export const replaceKeyInHome = (home: string, key: KeyObject): void => replaceSecretFile(fileIn(home), pemOf(key));

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

/**
 * What this machine remembers of a store's audit log, outside of the store: somebody who can write to the store cannot cut its log back
 * unnoticed. `folder`: undefined where nothing is remembered.
 */
export function seenLog(folder: string | undefined, { id }: Pick<Store, 'id'>): SignedCheckpoint | undefined {
  const note = folder === undefined ? undefined : readSeenLog(folder, id);
  return note === undefined ? undefined : parseCheckpoint(note);
}

/** Remembers the largest. A machine that cannot is reported by `payouts doctor`. */
function rememberLog(folder: string | undefined, { id }: Store, note: string): void {
  const size = parseCheckpoint(note)?.size ?? 0;
  if (folder === undefined || size <= (seenLog(folder, { id })?.size ?? -1)) return;
  try {
    writeSeenLog(folder, id, note);
  } catch {
    // The log is signed all the same.
  }
}

/**
 * Why a log of this size does not reach as far as this machine has seen it, as a clause; undefined: it does. Read `seen` before the
 * size: the log only grows.
 */
export const whyShorter = (seen: SignedCheckpoint | undefined, size: number): string | undefined =>
  seen === undefined || seen.size <= size
    ? undefined
    : `it has ${size} entries, but this machine has seen ${seen.size}`;

/** What to do about a log that is shorter than it was. */
export const ifRestored = (folder: string, { id }: Store): string =>
  `If the store was put back on purpose, move ${seenLogFile(folder, id)} aside; else somebody has cut the log back.`;

/** The signer signs nothing until people have investigated. */
const shortenedLog = (why: string, hint: string): Problem =>
  new Problem('refused', 'audit-cut', `The audit log was cut back: ${why}. Nothing was signed.`, { hint });

/** Name of a store's log and of the key that signs it. */
export const originOf = ({ id }: Store): string => `durable-payouts/${id}`;

export interface LogSigner {
  key: KeyObject;
  verifier: LogVerifier;
  /** Folder in which this machine remembers what it has signed; undefined: nowhere. */
  seenIn?: string;
}

/**
 * The signer of this store's log; undefined if another machine has its key. Throws a `Problem` if this machine's key is not the
 * store's.
 */
export async function logSigner(
  { audit, home, witnessFolder: seenIn }: LogConfig,
  store: Store,
): Promise<LogSigner | undefined> {
  const known = await store.auditVerifier();
  const key = audit.key?.reveal() ?? keyInHome(home) ?? (known === undefined ? createKeyInHome(home) : undefined);
  if (key === undefined) return undefined;
  const verifier = verifierOf(originOf(store), key);
  const mine = verifierText(verifier);
  if ((await store.recordAuditVerifier(mine)) === mine) return { key, verifier, seenIn };
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
 * Signs the log unless it has not grown. Signs only what extends the last checkpoint, and the one that this machine remembers, so
 * a log rewritten before it gets no new signature. Throws a `Problem` if the log does not extend them.
 */
export async function signLog(store: Store, signer: LogSigner, now: number): Promise<void> {
  // Read first: the log only grows.
  const seen = seenLog(signer.seenIn, store);
  const tree = await store.auditTree();
  const last = await store.lastCheckpoint();
  const why = whyShorter(seen, tree.size);
  if (why !== undefined) throw shortenedLog(why, ifRestored(signer.seenIn ?? '', store));
  if (last !== undefined && last.size === seen?.size && parseCheckpoint(last.note)?.root !== seen.root)
    throw brokenLog();
  if (tree.size === (last?.size ?? 0)) return last && rememberLog(signer.seenIn, store, last.note);
  const grown = new MerkleTree(signedState(last, signer));
  for await (const page of store.auditLog({ from: grown.size, to: tree.size })) {
    for (const entry of page) {
      grown.append(leafHash(leafText(entry)));
      if (grown.size === seen?.size && grown.root() !== seen.root) throw brokenLog();
    }
  }
  if (!isSame(grown, tree)) throw brokenLog();
  const { size } = tree;
  const { note } = signCheckpoint({ origin: signer.verifier.name, size, root: grown.root() }, signer.key);
  await store.recordCheckpoint({ size, edge: tree.edge, note, at: now }, verifierText(signer.verifier));
  rememberLog(signer.seenIn, store, note);
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
 * Puts the checkpoints not yet mailed into a folder as mails, from which the machine's mail system, or a person, takes
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
export async function keepLog(config: LogConfig, store: Store, now: number): Promise<void> {
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
