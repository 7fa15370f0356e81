import {
  type LogVerifier,
  parseCheckpoint,
  type SignedCheckpoint,
  verifierText,
} from '../../store/audit/checkpoint.ts';
import { leafText } from '../../store/audit/entry.ts';
import { KEY_SUBJECT, LogKeys, type Rotation, rotationIn } from '../../store/audit/log-keys.ts';
import { checkpointLine, type Leaf, type LogVerdict, verifyLog } from '../../store/audit/verify-log.ts';
import type { CheckpointRecord, Store } from '../../store/store.ts';

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

/** Entries that replaced the key of the log, whoever signed for them. */
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
