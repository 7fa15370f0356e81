import { PAYLOAD_REFUSED } from '../domain/failures.ts';
import { cardWorkflowId, parseWorkflowId } from '../domain/names.ts';
import type { Log } from '../domain/settings.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { Store } from '../store/store.ts';
import type { OnRefused } from './codec/encryption.ts';

/**
 * The most entries that a process writes in an hour, for workflows that the store knows and for others; further ones are only
 * logged. Otherwise, somebody who floods a namespace with workflows of their own would flood the audit too, and hide what is done to
 * payouts.
 */
const AUDITED_MAX = { known: 1_000, other: 100 } as const;

interface Hour {
  since: number;
  /** Workflow ids already reported. */
  audited: Set<string>;
  entriesLeft: Record<keyof typeof AUDITED_MAX, number>;
}

/**
 * Reports in log and audit that a payload was not accepted; once an hour for each workflow, since every replay meets the same
 * payloads.
 */
export function refusedPayloads(store: RefusalStore | undefined, log: Log, now: () => number = Date.now): OnRefused {
  let hour: Hour | undefined;
  return (why, { workflowId = 'unknown' }) => {
    const at = now();
    if (hour === undefined || at - hour.since >= HOUR_MS) {
      hour = { since: at, audited: new Set(), entriesLeft: { ...AUDITED_MAX } };
    }
    const key = `${why} ${workflowId}`;
    if (hour.audited.has(key)) return;
    log.warn({ why, workflowId }, 'a payload that was not encrypted for this place was ignored');
    hour.audited.add(key);
    record(store, hour, { at, key, why, workflowId }).catch((error: unknown) =>
      log.error({ error }, 'a refused payload could not be written to the audit log'),
    );
  };
}

type RefusalStore = Pick<Store, 'audit' | 'payout' | 'batch' | 'cards'>;

async function record(
  store: RefusalStore | undefined,
  { audited, entriesLeft }: Hour,
  { at, key, why, workflowId }: { at: number; key: string; why: string; workflowId: string },
): Promise<void> {
  const known = store && (await knownSubject(store, workflowId));
  const kind = known === undefined ? 'other' : 'known';
  if (entriesLeft[kind] === 0) {
    audited.delete(key);
    return;
  }
  entriesLeft[kind] -= 1;
  // Must be read before the first await: concurrent calls change it.
  const isLast = entriesLeft[kind] === 0;
  const entry = { at, actor: 'codec', action: PAYLOAD_REFUSED };
  await store?.audit({ ...entry, subject: known ?? workflowId, detail: { why, workflow: workflowId } });
  if (!isLast) return;
  const limit = `${AUDITED_MAX[kind]} in an hour: further ones are only in the log`;
  await store?.audit({ ...entry, subject: 'codec', detail: { why: limit } });
}

/** The subject under which other entries are about this workflow; undefined if it is not ours, with any id. */
async function knownSubject(store: RefusalStore, workflowId: string): Promise<string | undefined> {
  const card = cardWorkflowId('');
  if (workflowId.startsWith(card)) return (await store.cards.get(workflowId.slice(card.length)))?.merchantRequestId;
  const ours = parseWorkflowId(workflowId);
  if (ours?.kind === 'batch') return (await store.batch(ours.key))?.batchId;
  return ours && (await store.payout(ours.key))?.reference;
}
