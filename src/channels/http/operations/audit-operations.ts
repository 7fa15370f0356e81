import { z } from 'zod';
import { Problem } from '../../../domain/problem.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { storedVerifier } from '../../../platform/audit/open-audit-log.ts';
import { exportedLines } from '../../../platform/audit/read-log.ts';
import type { NumberedEntry, RetentionCounts, Store } from '../../../store/store.ts';
import { findTarget } from '../../find-target.ts';
import { operation, pathId, wholeNumber } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';

const TAG = 'audit';
/** Entries do not say whose they are. */
const READING: CallerAccess = { roles: ['operator', 'auditor'], scope: 'whole' };
const SHOWN_MAX = 100_000;
const DAYS_MAX = 36_500;
const SHOWN = 1_000;

export const AUDIT_ENTRIES = operation({
  method: 'GET',
  path: '/v1/audit',
  tag: TAG,
  summary: 'What was done to a batch, a payout or another subject',
  access: READING,
  input: z.strictObject({ id: pathId, limit: wholeNumber(1, SHOWN_MAX).default(SHOWN) }),
  answer: z.looseObject({ entries: z.array(z.looseObject({ seq: z.int() })) }),
  run: async ({ store }, { id, limit }): Promise<{ entries: NumberedEntry[] }> => ({
    entries: await store.auditEntries(await subjectOf(store, id), limit),
  }),
});

/** An id that is neither a payout nor a batch may still be the subject of an entry: a switch, a card payment, the store. */
async function subjectOf(store: Store, id: string): Promise<{ subject: string } | { batchId: string }> {
  const target = await findTarget(store, id).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.kind !== 'not-found') throw error;
    return undefined;
  });
  if (target === undefined) return { subject: id };
  return target.kind === 'batch' ? { batchId: target.batch.batchId } : { subject: target.payout.reference };
}

export const AUDIT_EXPORT = operation({
  method: 'GET',
  path: '/v1/audit/export',
  tag: TAG,
  summary: 'All signed entries as lines of JSON, with the checkpoints',
  description: '`payouts audit verify FILE` checks them with the public key of the log.',
  access: READING,
  input: z.strictObject({}),
  answer: z.string(),
  type: 'application/jsonl; charset=utf-8',
  async run({ store }): Promise<AsyncIterable<string>> {
    const verifier = await storedVerifier(store);
    if (verifier !== undefined) return exportedLines(store, verifier);
    throw new Problem('not-found', 'audit-key', 'The store has no key of its audit log yet.', {
      hint: 'A worker makes one when it starts.',
    });
  },
});

/** What `PAYOUTS_RETENTION_DAYS` erases and has erased; see `RetentionCounts`. */
export interface Retention extends RetentionCounts {
  /** As set for the process that answers, or as asked; null: nothing is erased. */
  days: number | null;
  /** What is older is erased, epoch ms; without days, 0. */
  before: number;
}

export const RETENTION = operation({
  method: 'GET',
  path: '/v1/retention',
  tag: TAG,
  summary: 'What personal data of ended payouts is to be erased, and was',
  access: READING,
  input: z.strictObject({
    days: wholeNumber(1, DAYS_MAX).optional().describe('as if this were PAYOUTS_RETENTION_DAYS'),
  }),
  answer: z.looseObject({ days: z.int().nullable(), before: z.int() }),
  async run({ store, config, now }, { days = config.retentionDays }): Promise<Retention> {
    const before = days === undefined ? 0 : now() - days * DAY_MS;
    return { days: days ?? null, before, ...(await store.retentionCounts(before)) };
  },
});
