import type { OnRefused } from '../codec/encryption.ts';
import { HOUR_MS } from '../domain/durations.ts';
import { cardWorkflowId, parseWorkflowId } from '../domain/names.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';

/** Action of the entries in the audit log. */
export const PAYLOAD_REFUSED = 'payload refused';

/**
 * Entries in an hour of one process, about workflows that the store knows and about others; beyond them the log alone has it.
 * Whoever floods a namespace with workflows of their own neither floods the audit nor hides there what is done to payouts.
 */
const AUDITED_MAX = { known: 1_000, other: 100 } as const;

interface Hour {
  since: number;
  /** What has been said. */
  said: Set<string>;
  left: Record<keyof typeof AUDITED_MAX, number>;
}

/** Says in log and audit that a payload was not taken, once an hour for each workflow: a replay comes by the same ones again. */
export function refusedPayloads(store: RefusalStore | undefined, log: Log, now: () => number = Date.now): OnRefused {
  let hour: Hour | undefined;
  return (why, { workflowId = 'unknown' }) => {
    const at = now();
    if (hour === undefined || at - hour.since >= HOUR_MS) {
      hour = { since: at, said: new Set(), left: { ...AUDITED_MAX } };
    }
    const key = `${why} ${workflowId}`;
    if (hour.said.has(key)) return;
    log.warn({ why, workflowId }, 'a payload that was not encrypted for this place was ignored');
    hour.said.add(key);
    record(store, hour, { at, key, why, workflowId }).catch((error: unknown) =>
      log.error({ error }, 'a refused payload could not be written to the audit log'),
    );
  };
}

type RefusalStore = Pick<Store, 'audit' | 'payout' | 'batch' | 'cards'>;

async function record(
  store: RefusalStore | undefined,
  { said, left }: Hour,
  { at, key, why, workflowId }: { at: number; key: string; why: string; workflowId: string },
): Promise<void> {
  const known = store && (await knownSubject(store, workflowId));
  const kind = known === undefined ? 'other' : 'known';
  if (left[kind] === 0) {
    said.delete(key);
    return;
  }
  left[kind] -= 1;
  // Read before anything is awaited: others count meanwhile.
  const isLast = left[kind] === 0;
  const entry = { at, actor: 'codec', action: PAYLOAD_REFUSED };
  await store?.audit({ ...entry, subject: known ?? workflowId, detail: { why, workflow: workflowId } });
  if (!isLast) return;
  const limit = `${AUDITED_MAX[kind]} in an hour: further ones are only in the log`;
  await store?.audit({ ...entry, subject: 'codec', detail: { why: limit } });
}

/** What other entries about it have as their subject; undefined for a workflow of somebody else, whatever its id. */
async function knownSubject(store: RefusalStore, workflowId: string): Promise<string | undefined> {
  const card = cardWorkflowId('');
  if (workflowId.startsWith(card)) return (await store.cards.get(workflowId.slice(card.length)))?.merchantRequestId;
  const ours = parseWorkflowId(workflowId);
  if (ours?.kind === 'batch') return (await store.batch(ours.key))?.batchId;
  return ours && (await store.payout(ours.key))?.reference;
}
