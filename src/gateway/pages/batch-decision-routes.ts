import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isSamePerson } from '../../domain/approval.ts';
import { may, type Person } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { type BatchPlan, plansToSign, planToSign, takePlan } from '../../services/decisions/plan.ts';
import type { BatchRecord } from '../../store/store.ts';
import { visibleBatchOf } from '../batch-routes.ts';
import type { Caller } from '../callers.ts';
import { parsed } from '../schemas.ts';
import { batchDecisionPage } from './batch-decision-page.ts';
import { show, viewOf } from './layout.ts';
import type { PagesContext } from './pages-context.ts';
import { batchPath } from './pieces.ts';
import { assertReasoned, remarkField, senderFields, signedOrAsked } from './signing.ts';

const decideBody = z.object({
  digest: z.string().max(1_000),
  remark: remarkField,
  signed: senderFields.signed,
});

const DECISIONS = ['approve', 'reject'] as const;

/** `/batches/ID/decide`: one signature for the rows of a batch that ask, or will ask, the same question. */
export function batchDecisionRoutes(app: FastifyInstance, context: PagesContext): void {
  const { deps, authority } = context;
  app.get('/batches/:id/decide', async (request, reply) => {
    const batch = await visibleBatchOf(deps, request);
    const { name: subject } = deciderOf(request, batch);
    const view = viewOf(request, reply, context);
    const plans = await plansToSign(authority, { batchId: batch.batchId, subject }, DECISIONS);
    const body = batchDecisionPage({ view, batch, ...plans });
    return show(reply, view, { title: `Decide ${batch.file}`, body });
  });
  for (const decision of DECISIONS) {
    app.post(`/batches/:id/${decision}`, async (request, reply) => {
      const batch = await visibleBatchOf(deps, request);
      const person = deciderOf(request, batch);
      const { digest, remark, signed } = parsed(decideBody, request.body, 'form');
      const asked = { batchId: batch.batchId, decision, subject: person.name };
      const plan = await planToSign(authority, asked);
      if (plan.digest !== digest || plan.rows.length === 0) throw asksOtherwise();
      const signing = signedOrAsked(request, context, person, aboutPlan(plan, remark), signed);
      if ('asked' in signing) return signing.asked;
      const taken = await takePlan(authority, plan, signing.signed);
      if ('refused' in taken) {
        throw new Problem('conflict', 'decision-refused', `This was not accepted: ${taken.refused}.`, {
          hint: 'Reload the page of the batch.',
        });
      }
      await deps.pages.signalPlan(signing.signed);
      return reply.redirect(`${batchPath(batch.batchId)}?told=decided`, 303);
    });
  }
}

/** Whether somebody may decide rows of a batch together: only under a policy, and not their own. */
export const mayDecideBatch = ({ person }: Caller, { by }: BatchRecord): boolean =>
  person !== undefined && may(person, 'payout') && !isSamePerson(by ?? '', person.name);

/** Throws a `Problem` if not. */
function deciderOf({ caller }: FastifyRequest, batch: BatchRecord): Person {
  const { person } = caller;
  if (person !== undefined && mayDecideBatch(caller, batch)) return person;
  throw new Problem('forbidden', 'role-missing', 'You cannot decide the rows of this batch together.', {
    hint: 'This requires a policy, and an approver who is not the maker of the batch.',
  });
}

const aboutPlan = ({ batchId: reference, question, digest, decision }: BatchPlan, remark: string) => {
  assertReasoned({ decision, remark });
  return { question, reference, digest, decision, remark };
};

const asksOtherwise = (): Problem =>
  new Problem('conflict', 'asks-otherwise', 'The rows no longer await this decision.', {
    hint: 'Reload the page of the batch.',
  });
