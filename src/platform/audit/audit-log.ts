import type { KeyObject } from 'node:crypto';
import { Problem } from '../../domain/problem.ts';
import {
  isSignedBy,
  type LogVerifier,
  parseCheckpoint,
  parseVerifier,
  signCheckpoint,
  verifierOf,
  verifierText,
} from '../../store/audit/checkpoint.ts';
import { leafText } from '../../store/audit/entry.ts';
import { KEY_ROTATED, KEY_SUBJECT } from '../../store/audit/log-keys.ts';
import { leafHash, MerkleTree, type TreeState } from '../../store/audit/merkle.ts';
import type { CheckpointRecord, Store } from '../../store/store.ts';
import type { Config } from '../config.ts';
import { createKeyInHome, keyInHome } from './home-log-key.ts';
import { ifRestored, rememberLog, seenLog, shortenedLog, whyShorter } from './seen-log.ts';

/** Name of a store's log and of the key that signs it. */
export const originOf = ({ id }: Pick<Store, 'id'>): string => `durable-payouts/${id}`;

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
  { audit, home, witnessFolder: seenIn }: Pick<Config, 'audit' | 'home'> & Partial<Pick<Config, 'witnessFolder'>>,
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
