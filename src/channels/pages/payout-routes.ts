import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { z } from 'zod';
import { resolveDigest } from '../../domain/authority.ts';
import { MESSAGES } from '../../domain/names.ts';
import { isUnpaid, RESOLVE_ACTIONS } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { roleAskedOf } from '../../people/decisions/scope.ts';
import { shownQuestion } from '../../people/decisions/shown-question.ts';
import { type SignedQuestion, scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import { type AuditedRequest, askAudited, outcomeInWords } from '../../people/decisions/weigh.ts';
import { resolvePayout, updatePayout } from '../../platform/temporal/executions.ts';
import { inTime, resolveMs } from '../../platform/temporal/worker-answer.ts';
import { sidesShown } from '../../reports/comparison.ts';
import { workflowUrl } from '../../reports/links.ts';
import { nextStep } from '../../reports/next-step.ts';
import { stepContext } from '../../reports/report-source.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { hasControls, optionalText, parsed, storableText } from '../http/documents.ts';
import {
  assertMayOperate,
  DECIDERS,
  mayCancel,
  mayDecide,
  mayOperate,
  maySeePayout,
  OPERATING,
} from '../http/may-see.ts';
import { ANY_ROLE, accessOf } from '../http/route-access.ts';
import { show, viewOf } from './layout.ts';
import { historyOf } from './payout-history.ts';
import { payoutPage } from './payout-page.ts';
import { payoutShown } from './payout-view.ts';
import { payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { assertReasoned, operatorOf, remarkField, senderFields, senderOf } from './signing.ts';

const decideBody = z.object({
  decision: z.enum(['approve', 'reject']),
  remark: remarkField,
  digest: z.string().max(1_000),
  ...senderFields,
});
const resolveBody = z.object({
  action: z.enum(RESOLVE_ACTIONS),
  evidence: storableText,
  order: optionalText,
  ...senderFields,
});
const cancelBody = z.object({ reason: storableText, by: storableText.optional() });

/** Value of `told` after an operator's decision. */
const RESOLVED = 'resolved';

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

const isUndecidable = ({ state }: PayoutRecord): boolean => state === 'needs-operator';

/** What is told of the viewer's last action. The bank hears of a decision about its audit afterwards, and may refuse it. */
function answerOf(told: unknown, { state, orderId }: PayoutRecord): string | undefined {
  const isAtBank = state === 'awaiting-bank-approval' || (told === 'rejected' && orderId !== null && !isUnpaid(state));
  return isAtBank && DECIDED.includes(told) ? 'Your decision is passed on to the bank.' : TOLD.get(told);
}

/**
 * `/payouts/REFERENCE`: one payout, its history, the decision that it asks for, and that of an operator if it is undecidable. A
 * cancel needs no signature: it keeps money where it is.
 */
export function payoutRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/payouts/:reference', accessOf(ANY_ROLE), async (request, reply) => {
    const row = await payoutIn(request, gateway);
    const { told } = request.query as { told?: unknown };
    const { caller } = request;
    const view = viewOf(request, reply, gateway);
    const body = payoutPage({
      view,
      shown: await payoutShown(gateway, row),
      story: await historyOf(store, row),
      incidents: await store.incidentsOf([row.reference]),
      workflowUrl: workflowUrl(gateway.ui, row.workflowId),
      mayDecide: mayDecide(caller, row),
      mayResolve: isUndecidable(row) && mayOperate(caller, 'resolve', scopeFactsOfRow(row)),
      mayCancel: mayCancel(caller, row),
      step: nextStep(row, await stepContext(gateway, [row])),
      now: gateway.now(),
      sides: await sidesShown(gateway, row),
      answer: answerOf(told, row),
      hasJustDecided: DECIDED.includes(told),
    });
    return show(reply, view, { title: row.documentId, body });
  });
  app.post(
    '/payouts/:reference/decide',
    accessOf({ roles: ['approver', 'compliance'], scope: 'each' }),
    async (request, reply) => {
      const row = await payoutIn(request, gateway);
      const { decision, remark, digest, ...sent } = parsed(decideBody, request.body, 'form');
      const { reference } = row;
      const question = await questionAsked(request, gateway, row, { digest, decision });
      assertReasoned({ decision, remark });
      const sender = senderOf(request, gateway, { question, reference, digest, decision, remark }, sent);
      if ('asked' in sender) return sender.asked;
      // In a trial the bank's audit has no digest of its own.
      const bound = question === 'bank' ? {} : { digest };
      const update = { decisionId: sender.signed?.id ?? v7(), decision, remark, ...bound, ...sender };
      const detail: Record<string, string> = remark === '' ? {} : { remark };
      const asked = { by: sender.by, action: decision, subject: reference, detail };
      const refusal = ['decision-refused', 'This was not accepted'] as const;
      return tell(
        reply,
        row,
        await passOn(gateway, asked, () => updatePayout(gateway, row, MESSAGES.decide, update), refusal),
      );
    },
  );
  app.post('/payouts/:reference/resolve', accessOf(OPERATING), async (request, reply) => {
    const row = await payoutIn(request, gateway);
    const { reference } = row;
    const { action, evidence, order: orderId, ...sent } = parsed(resolveBody, request.body, 'form');
    const touched = scopeFactsOfRow(row);
    assertMayOperate(request.caller, 'resolve', touched);
    if (!isUndecidable(row)) {
      throw new Problem('conflict', 'nothing-to-resolve', 'It no longer needs an operator.', {
        hint: 'Reload the page.',
      });
    }
    if (action === 'adopt-order' && orderId === undefined) {
      throw new Problem('usage', 'order-missing', 'The id of the order to follow is missing.', {
        hint: 'Enter the id that the bank shows.',
      });
    }
    const about = { question: 'resolve', reference, digest: resolveDigest(action, orderId), remark: evidence } as const;
    const operator = await operatorOf(request, gateway, about, { ...sent, touched });
    if ('asked' in operator) return operator.asked;
    const asked = { by: operator.by, action: 'resolve', subject: reference, detail: { action, evidence } };
    const resolve = () => resolvePayout(gateway, row, { action, evidence, orderId, ...operator });
    await passOn(gateway, asked, resolve, ['resolve-refused', 'This has no effect yet'], resolveMs(gateway.settings));
    return tell(reply, row, RESOLVED);
  });
  app.post(
    '/payouts/:reference/cancel',
    accessOf({ roles: ['maker', 'operator'], scope: 'each' }),
    async (request, reply) => {
      const row = await payoutIn(request, gateway);
      const { reason, by: given } = parsed(cancelBody, request.body, 'form');
      if (!mayCancel(request.caller, row)) {
        throw new Problem('forbidden', 'role-missing', 'You may not cancel this, or it has ended.', {
          hint: 'Its maker may, and an operator, until it has ended.',
        });
      }
      const by = request.caller.name ?? given ?? 'gateway';
      const asked = { by, action: 'cancel', subject: row.reference, detail: { reason } };
      const refusal = ['cancel-refused', 'It was not cancelled'] as const;
      return tell(
        reply,
        row,
        await passOn(gateway, asked, () => updatePayout(gateway, row, MESSAGES.cancel, { by, reason }), refusal),
      );
    },
  );
}

/** Passes on what somebody asks of a payout, and returns the answer. `refusal`: code of the `Problem`, and how it begins. */
async function passOn(
  gateway: PagesGateway,
  asked: AuditedRequest,
  ask: () => Promise<string | { refused: string }>,
  [code, says]: readonly [code: string, says: string],
  ms?: number,
): Promise<string> {
  const answer = await askAudited(gateway, asked, () => inTime(gateway.client, ask, ms), outcomeInWords);
  if (typeof answer === 'string') return answer;
  throw new Problem('conflict', code, `${says}: ${answer.refused}.`, { hint: 'Reload the page of the payout.' });
}

/** Back to the page of the payout, which shows the answer. */
const tell = (reply: FastifyReply, { reference }: PayoutRecord, told: string): FastifyReply =>
  reply.redirect(`${payoutPath(reference)}?told=${encodeURIComponent(told)}`, 303);

/** The payout in the path. Throws a `Problem` if it does not exist or is outside the caller's scope. */
async function payoutIn({ params, caller }: FastifyRequest, gateway: PagesGateway): Promise<PayoutRecord> {
  const { reference } = params as { reference: string };
  const row = hasControls(reference) ? undefined : await gateway.store.payout(reference);
  if (row !== undefined && maySeePayout(caller, row)) return row;
  throw new Problem('not-found', 'unknown-id', 'There is no payout with this reference.', {
    hint: 'The page of its batch lists it.',
  });
}

/** The question that a digest answers; one that differs from what is shown can only be rejected. Throws a `Problem` if the payout does not ask it now, or does not ask the caller. */
async function questionAsked(
  { caller }: FastifyRequest,
  gateway: PagesGateway,
  row: PayoutRecord,
  { digest, decision }: { digest: string; decision: 'approve' | 'reject' },
): Promise<SignedQuestion['question']> {
  const { asked, differs } = await shownQuestion(gateway, row);
  if (asked?.digest !== digest || (differs !== undefined && decision === 'approve')) {
    throw new Problem('conflict', 'asks-otherwise', 'It no longer awaits this decision.', { hint: 'Reload the page.' });
  }
  if (mayDecide(caller, row)) return asked.question;
  throw new Problem('forbidden', 'role-missing', 'Your role does not allow you to decide this.', {
    hint: `It requires ${DECIDERS[roleAskedOf(row)]} whose scope covers it and who is not its maker.`,
  });
}
