import type { Priority } from '@temporalio/common';

/**
 * Which of the tasks that wait for a worker comes first, where the server keeps that order (`matching.enableFairness`): a smaller
 * key before a larger one, and under one key each user in turn. Activities have what their workflow has.
 */

/** Few tasks, for which many others wait: batches, watches, the reconciliation. */
const FIRST = 1;
/** Somebody waits at a checkout, or has asked for haste. */
const SOON = 2;
/** What the server takes when nothing is said. */
const IN_TURN = 3;

/** Longer keys are refused, and with them the start. */
const KEY_BYTES_MAX = 64;

export const SHARED_WORK: Priority = { priorityKey: FIRST };

export const CARD_PAYMENT: Priority = { priorityKey: SOON };

/** Of the watch of a user. */
export const watchPriority = (uid: string): Priority => ({ priorityKey: FIRST, ...turnOf(uid) });

export const payoutPriority = (uid: unknown, isUrgent = false): Priority => ({
  priorityKey: isUrgent ? SOON : IN_TURN,
  ...turnOf(uid),
});

/** Users whose ids are too long take turns with each other. */
function turnOf(uid: unknown): Pick<Priority, 'fairnessKey'> {
  return typeof uid === 'string' && Buffer.byteLength(uid) <= KEY_BYTES_MAX ? { fairnessKey: uid } : {};
}
