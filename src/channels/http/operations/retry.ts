import { z } from 'zod';
import { assertPlan, type PlanDocument, takeUnpaid } from '../../../files/intake/take-file.ts';
import { makerOf } from '../callers.ts';
import { maySee } from '../may-see.ts';
import { storableText } from '../schemas.ts';
import { flag, listOf, pathId, shortText, wholeNumber } from './inputs.ts';
import { operation } from './place.ts';
import { visibleBatch } from './visible.ts';

type Handed = { outcome: 'planned'; document: PlanDocument } | { outcome: 'claimed' | 'under-way'; batchId: string };

const ROWS_MAX = 9_999_999;

export const RETRY = operation({
  method: 'POST',
  path: '/v1/batches/:id/retry',
  tag: 'batches',
  summary: 'Pay rows of a batch again that are proven unpaid, under new references',
  access: { roles: ['maker'], scope: 'each' },
  input: z.strictObject({
    id: pathId,
    rows: listOf(wholeNumber(1, ROWS_MAX)).optional().describe('data rows; absent: all that are proven unpaid'),
    canary: wholeNumber(1, ROWS_MAX).optional().describe('rows paid first, the rest once they are completed'),
    allowLookAlikes: flag,
    by: storableText.optional(),
    dryRun: flag.describe('answer with the plan; nothing is claimed'),
    plan: shortText.optional().describe('hash of the confirmed plan; a different plan is refused'),
  }),
  answer: z.looseObject({ handed: z.looseObject({ outcome: z.string() }) }),
  async run(place, { id, rows, by: given, plan, ...options }): Promise<{ handed: Handed }> {
    const { batchId } = await visibleBatch(place, id);
    const by = makerOf(place.caller, given);
    const mayTellOf = async (other: string): Promise<boolean> => {
      const batch = await place.store.batch(other);
      return batch !== undefined && maySee(place.caller, place.store, batch);
    };
    const intake = { ...(await place.intake(by)), mayTellOf };
    const asked = { ...options, invalid: 'stop', by, isAttended: true } as const;
    const rowSet = rows === undefined ? undefined : new Set(rows);
    const taking = await takeUnpaid(intake, { batchId, rows: rowSet }, asked, (proposal) =>
      assertPlan(proposal.plan, plan),
    );
    if (taking.outcome === 'planned') return { handed: taking };
    const outcome = taking.outcome === 'claimed' ? 'claimed' : 'under-way';
    return { handed: { outcome, batchId: taking.batchId } };
  },
});
