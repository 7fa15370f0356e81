import type { Priority } from '@temporalio/common';

/**
 * Order of queued tasks, where the server supports it (`matching.enableFairness`): lower priority keys first, and within one key
 * users take turns. Activities inherit the priority of their workflow.
 */

/** Few tasks that many others wait for: batches, watches, the reconciliation. */
const FIRST = 1;
/** Somebody waits at a checkout, or the payout is urgent. */
const SOON = 2;
/** The server's default. */
const IN_TURN = 3;

/** The server refuses longer fairness keys, and with them the start. */
const KEY_BYTES_MAX = 64;

export const SHARED_WORK: Priority = { priorityKey: FIRST };

export const CARD_PAYMENT: Priority = { priorityKey: SOON };

export const watchPriority = (uid: string): Priority => ({ priorityKey: FIRST, ...turnOf(uid) });

export const payoutPriority = (uid: unknown, isUrgent = false): Priority => ({
  priorityKey: isUrgent ? SOON : IN_TURN,
  ...turnOf(uid),
});

/** Users whose ids are too long share one turn. */
function turnOf(uid: unknown): Pick<Priority, 'fairnessKey'> {
  return typeof uid === 'string' && Buffer.byteLength(uid) <= KEY_BYTES_MAX ? { fairnessKey: uid } : {};
}
