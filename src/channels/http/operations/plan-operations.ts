import { z } from 'zod';
import { signalPlan } from '../../../activities/batch.ts';
import { decidesAs } from '../../../domain/authority.ts';
import { Problem } from '../../../domain/problem.ts';
import { planReader, planToSign, preparePlan, type ReadPlan, takePlan } from '../../../people/decisions/batch-plan.ts';
import { executionsOver } from '../../../platform/temporal/workflow-executions.ts';
import { decidedText } from '../../../reports/decided-text.ts';
import type { BatchRecord } from '../../../store/store.ts';
import { JSON_LINES, jsonLines, operation, type Place, pathId, visibleBatch } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { notYours, signedInput, WHAT_TO_SIGN } from './decision-operations.ts';

const TAG = 'decisions';
/** Screenings are decided one by one. */
const DECIDERS_ONLY: CallerAccess = { roles: ['approver'], scope: 'each' };

const question = z.enum(['payout', 'bank']);

/** `subject`: whose scope a plan is for, where that is not the caller. */
export const PLAN = operation({
  method: 'GET',
  path: '/v1/batches/:id/plan',
  tag: TAG,
  summary: 'The rows of a batch that ask a question or will, as lines of JSON',
  description: 'Each line is a payout with what it asks, as store and bank show it.',
  access: DECIDERS_ONLY,
  input: z.strictObject({ id: pathId, question, subject: z.string().max(200).optional() }),
  answer: z.string(),
  type: JSON_LINES,
  async run(place, { id, question, subject }): Promise<AsyncIterable<string>> {
    const batch = await visibleBatch(place, id);
    assertMayDecide(place, batch);
    const read = await readerOf(place, batch.batchId, place.caller.name ?? subject ?? '');
    return jsonLines(read(question));
  },
});

export const DECIDE_PLAN = operation({
  method: 'POST',
  path: '/v1/batches/:id/decisions',
  tag: TAG,
  summary: 'Decide rows of a batch by one signature over the digest of its plan',
  access: DECIDERS_ONLY,
  input: z.strictObject({
    id: pathId,
    decision: z.enum(['approve', 'reject']),
    question: question.optional().describe("absent: our own approvals, or the bank's once none waits"),
    signed: signedInput,
  }),
  answer: z.looseObject({
    rows: z.int(),
    says: z.string().describe('what was decided, and whose turn it is now'),
  }),
  async run(place, { id, signed, question, decision }): Promise<{ rows: number; says: string }> {
    const { store } = place;
    const batch = await visibleBatch(place, id);
    assertMayDecide(place, batch);
    if (signed === undefined) {
      throw new Problem('forbidden', 'decision-refused', 'The decision does not count: it is not signed.', {
        hint: WHAT_TO_SIGN,
      });
    }
    if (signed.subject !== (place.caller.name ?? signed.subject)) throw refused('somebody else has signed it', id);
    const { batchId } = batch;
    const read = await readerOf(place, batchId, signed.subject);
    const about = { batchId, decision };
    const plan = await (question === undefined ? planToSign(read, about) : preparePlan(read, { ...about, question }));
    const taken = await takePlan(place, plan, signed);
    if ('refused' in taken) throw refused(taken.refused, batchId);
    const client = await place.client();
    const waiting = await store.awaitingUnder(plan);
    await signalPlan({ store, executions: executionsOver(client) }, signed);
    await place.carriedOut(waiting);
    const rows = await store.payoutsOf(plan.rows.map(({ reference }) => reference));
    const says = await decidedText(place, signed, rows);
    return { rows: plan.rows.length, says };
  },
});

const refused = (why: string, batchId: string): Problem =>
  new Problem('forbidden', 'decision-refused', `The decision does not count: ${why}.`, {
    hint: `payouts audit show ${batchId} shows it.`,
  });

/** Throws a `Problem` if the caller may not decide rows of a batch together: they are its maker, or no approver. */
function assertMayDecide({ caller: { person } }: Place, { by }: BatchRecord): void {
  if (person === undefined || decidesAs(person, 'payout', { maker: by }).length > 0) return;
  throw notYours('an approver');
}

const readerOf = async ({ store, config, now, bank }: Place, batchId: string, subject: string): Promise<ReadPlan> =>
  planReader({ store, bank: await bank(), settings: config.settings, now }, { batchId, subject });
