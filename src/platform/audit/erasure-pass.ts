import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ERASED } from '../../domain/logged-money.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { ErasureKey, Store } from '../../store/store.ts';
import { asLogged } from './read-log.ts';

/** Payouts erased in one transaction: a writer that waits for it waits some 50 ms. */
const PAYOUTS_PER_STEP = 100;
const CHECKS_PER_STEP = 500;
/** The most of each kind in one pass, so that others can write in between; a year is still erased within hours. */
const STEPS_MAX = 20;
/** After everything is erased: what became due since then waits for so long. */
const REST_MS = 3_600_000;

/** What a pass has erased, and payouts that it leaves alone because they differ from the log, by reference. */
export interface Erased {
  payouts: number;
  differing: readonly string[];
}

interface Retained {
  store: Store;
  days: number;
  /** Folders whose files are removed once they are so old: copies of what was handed in, and reports. */
  folders: readonly string[];
}

/**
 * Passes that erase what is older than `days`, each going on where the last one ended. Between passes that find nothing lies a
 * rest. Several workers may run them side by side: each erasure happens, and is logged, once.
 */
export function erasurePass({ store, days, folders }: Retained, now: () => number): () => Promise<Erased> {
  let after: ErasureKey | undefined;
  let restUntil = 0;
  return async () => {
    const at = now();
    if (at < restUntil) return { payouts: 0, differing: [] };
    const before = at - days * DAY_MS;
    const found = await erasePayouts(store, { before, at, after });
    after = found.next;
    const isMore = await eraseOthers(store, { before, at });
    for (const folder of folders) await removeFiles(store, folder, { before, at });
    if (after === undefined && !isMore) restUntil = at + REST_MS;
    return found;
  };
}

interface Stage {
  before: number;
  at: number;
}

/** `next`: where the next pass goes on; undefined: at the beginning. */
async function erasePayouts(
  store: Store,
  { before, at, after }: Stage & { after: ErasureKey | undefined },
): Promise<Erased & { next: ErasureKey | undefined }> {
  // Once per pass, whatever the number of its rows.
  const batches = new Map<string, boolean>();
  const differing: string[] = [];
  let [payouts, next] = [0, after];
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const rows = await store.payoutsToErase({ before, after: next, limit: PAYOUTS_PER_STEP });
    const whole = await asLogged(store, rows, batches);
    payouts += await store.erasePayouts(whole, { before, at });
    const references = new Set(whole.map(({ reference }) => reference));
    differing.push(...rows.map(({ reference }) => reference).filter((reference) => !references.has(reference)));
    next = rows.length < PAYOUTS_PER_STEP ? undefined : rows.at(-1);
    if (next === undefined) break;
  }
  return { payouts, differing, next };
}

/** What does not belong to one payout; whether more is left. */
async function eraseOthers(store: Store, stage: Stage): Promise<boolean> {
  const until = async (step: () => Promise<boolean>): Promise<boolean> => {
    for (let n = 0; n < STEPS_MAX; n += 1) if (!(await step())) return false;
    return true;
  };
  let payees: Awaited<ReturnType<Store['erasePayees']>>['next'];
  const isMore = [
    await until(() => store.eraseRefusedRows(stage)),
    await until(() => store.eraseStatement(stage)),
    await until(async () => (await store.erasePayeeChecks({ ...stage, limit: CHECKS_PER_STEP })) === CHECKS_PER_STEP),
  ];
  do {
    payees = (await store.erasePayees({ ...stage, after: payees })).next;
  } while (payees !== undefined);
  return isMore.includes(true);
}

/** Files written and moved here before then; logged first, so that none is removed without an entry. */
async function removeFiles(store: Store, folder: string, { before, at }: Stage): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const old: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() && Math.max(found.mtimeMs, found.ctimeMs) < before) old.push(path);
  }
  if (old.length === 0) return;
  const detail = { folder, files: `${old.length}` };
  await store.audit({ at, actor: 'product', action: ERASED, subject: 'files', detail });
  // Another worker may have been first.
  for (const path of old) await rm(path, { force: true });
}
