import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { DecideUpdate } from '../../domain/approval.ts';
import { isUnpaid } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { nextStep } from '../../reports/next-step.ts';
import { type AuditedRequest, askAudited, outcomeInWords } from '../../services/decisions/audited-request.ts';
import { roleAskedOf } from '../../services/decisions/awaits-decision.ts';
import { scopeFactsOfRow } from '../../services/decisions/verdict.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { maySeePayout } from '../may-see.ts';
import { hasControls, parsed, storableText } from '../schemas.ts';
import { show, viewOf } from './layout.ts';
import { DECIDERS, mayCancel, mayDecide, mayOperate } from './may-do.ts';
import type { PagesContext } from './pages-context.ts';
import { historyOf } from './payout-history.ts';
import { payoutPage } from './payout-page.ts';
import { type PayoutShown, payoutShown } from './payout-view.ts';
import { payoutPath } from './pieces.ts';
import { RESOLVED } from './resolve-form.ts';
import { assertReasoned, signedOrAsked } from './signing.ts';

const remark = z.union([z.literal(''), storableText]).default('');
const decideBody = z.object({
  decision: z.enum(['approve', 'reject']),
  remark,
  digest: z.string().max(1_000),
  by: storableText.optional(),
  signed: z.string().optional(),
});
type DecideBody = z.output<typeof decideBody>;

const cancelBody = z.object({ reason: storableText, by: storableText.optional() });

/** Answers of the workflow -> texts of the page. */
const TOLD: ReadonlyMap<unknown, string> = new Map([
  ['approved', 'Approved. The payout continues now.'],
  ['counted', 'Your approval counts. The payout needs another approval.'],
  ['rejected', 'Rejected. Nothing is paid.'],
  ['cancelled', 'Cancelled. Nothing is paid.'],
  ['pending', 'Cancel requested. Reload the page in a moment to see whether it was still possible.'],
  ['too-late', 'Too late: it continues, or has ended.'],
  [RESOLVED, 'Accepted. The history shows the answer.'],
]);

const DECIDED: readonly unknown[] = ['approved', 'rejected'];

/** What is told of the viewer's last action. The bank hears of a decision about its audit afterwards, and may refuse it. */
function answerOf(told: unknown, { state, orderId }: PayoutRecord): string | undefined {
  const isAtBank = state === 'awaiting-bank-approval' || (told === 'rejected' && orderId !== null && !isUnpaid(state));
  return isAtBank && DECIDED.includes(told) ? 'Your decision is passed on to the bank.' : TOLD.get(told);
}

/** `/payouts/REFERENCE`: one payout, its history, and the decision it asks for. A cancel needs no signature: it keeps money where it is. */
export function payoutRoutes(app: FastifyInstance, context: PagesContext): void {
  const { store, pages, now } = context.deps;
  app.get('/payouts/:reference', async (request, reply) => {
    const row = await payoutIn(request, context);
    const { told } = request.query as { told?: unknown };
    const { caller } = request;
    const view = viewOf(request, reply, context);
    const body = payoutPage({
      view,
      shown: await payoutShown(context, row),
      caps: pages.settings.terms,
      story: await historyOf(store, row),
      incidents: await store.incidentsOf([row.reference]),
      workflowUrl: pages.workflowUrl(row.workflowId),
      mayDecide: mayDecide(caller, row),
      mayResolve: mayOperate(caller, 'resolve', scopeFactsOfRow(row)),
      mayCancel: mayCancel(caller, row),
      step: nextStep(row, await pages.stepContext([row])),
      now: now(),
      sides: await pages.bothSides(row),
      answer: answerOf(told, row),
      hasJustDecided: DECIDED.includes(told),
    });
    return show(reply, view, { title: row.documentId, body });
  });
  app.post('/payouts/:reference/decide', async (request, reply) => {
    const row = await payoutIn(request, context);
    const body = parsed(decideBody, request.body, 'form');
    const update = await updateOf(request, context, await payoutShown(context, row), body);
    if ('asked' in update) return update.asked;
    const { by, decision: action } = update;
    const detail: Record<string, string> = body.remark === '' ? {} : { remark: body.remark };
    const asked = { by, action, subject: row.reference, detail };
    const refusal = ['decision-refused', 'This was not accepted'] as const;
    return tell(reply, row, await passOn(context, asked, () => pages.decide(row, update), refusal));
  });
  app.post('/payouts/:reference/cancel', async (request, reply) => {
    const row = await payoutIn(request, context);
    const { reason, by: given } = parsed(cancelBody, request.body, 'form');
    if (!mayCancel(request.caller, row)) {
      throw new Problem('forbidden', 'role-missing', 'You may not cancel this, or it has ended.', {
        hint: 'Its maker may, and an operator, until it has ended.',
      });
    }
    const by = request.caller.name ?? given ?? 'gateway';
    const asked = { by, action: 'cancel', subject: row.reference, detail: { reason } };
    const refusal = ['cancel-refused', 'It was not cancelled'] as const;
    return tell(reply, row, await passOn(context, asked, () => pages.cancel(row, { by, reason }), refusal));
  });
}

/** Passes on what somebody asks of a payout, and returns the answer. `refusal`: code of the `Problem`, and how it begins. */
export async function passOn(
  { deps }: PagesContext,
  asked: AuditedRequest,
  ask: () => Promise<string | { refused: string }>,
  [code, says]: readonly [code: string, says: string],
): Promise<string> {
  const answer = await askAudited(deps, asked, ask, outcomeInWords);
  if (typeof answer === 'string') return answer;
  throw new Problem('conflict', code, `${says}: ${answer.refused}.`, { hint: 'Reload the page of the payout.' });
}

/** Back to the page of the payout, which shows the answer. */
export const tell = (reply: FastifyReply, { reference }: PayoutRecord, told: string): FastifyReply =>
  reply.redirect(`${payoutPath(reference)}?told=${encodeURIComponent(told)}`, 303);

/** The payout in the path. Throws a `Problem` if it does not exist or is outside the caller's scope. */
export async function payoutIn({ params, caller }: FastifyRequest, { deps }: PagesContext): Promise<PayoutRecord> {
  const { reference } = params as { reference: string };
  const row = hasControls(reference) ? undefined : await deps.store.payout(reference);
  if (row !== undefined && maySeePayout(caller, row)) return row;
  throw new Problem('not-found', 'unknown-id', 'There is no payout with this reference.', {
    hint: 'The page of its batch lists it.',
  });
}

/** The update for the workflow, or what has to be signed first. Throws a `Problem` if there is nothing to decide. */
async function updateOf(
  request: FastifyRequest,
  context: PagesContext,
  { row, asked, isWhatIsSigned }: PayoutShown,
  { decision, remark, digest, by, signed }: DecideBody,
): Promise<DecideUpdate | { asked: object }> {
  const { policy } = context;
  const { caller } = request;
  if (asked === undefined || asked.digest !== digest || !isWhatIsSigned) {
    throw new Problem('conflict', 'asks-otherwise', 'It no longer awaits this decision.', { hint: 'Reload the page.' });
  }
  if (!mayDecide(caller, row)) {
    throw new Problem('forbidden', 'role-missing', 'Your role does not allow you to decide this.', {
      hint: `It requires ${DECIDERS[roleAskedOf(row)]} whose scope covers it and who is not its maker.`,
    });
  }
  assertReasoned({ decision, remark });
  const { person } = caller;
  if (policy === undefined || person === undefined) {
    if (by !== undefined) return { decisionId: v7(), decision, by, remark };
    throw new Problem('usage', 'name-missing', 'Your name is missing.', { hint: 'Give your name.' });
  }
  const about = { question: asked.question, reference: row.reference, digest, decision, remark };
  const signing = signedOrAsked(request, context, { policy, person, about, signed });
  if ('asked' in signing) return signing;
  return { decisionId: signing.signed.id, decision, by: person.name, remark, signed: signing.signed };
}
