import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCheckpoint } from '../../store/audit/checkpoint.ts';
import { checkpointMail } from '../../store/audit/checkpoint-mail.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from '../config.ts';
import { logSigner, signLog } from './audit-log.ts';

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
export async function keepLog(
  config: Pick<Config, 'audit' | 'home'> & Partial<Pick<Config, 'witnessFolder'>>,
  store: Store,
  now: number,
): Promise<void> {
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
