import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { resolveDigest } from '../../domain/question-digest.ts';
import { RESOLVE_ACTIONS } from '../../domain/resolve-action.ts';
import { scopeFactsOfRow } from '../../services/decisions/verdict.ts';
import { parsed, storableText } from '../schemas.ts';
import { assertMayOperate } from './may-do.ts';
import { signedByOperator } from './operator-signature.ts';
import type { PagesContext } from './pages-context.ts';
import { passOn, payoutIn, tell } from './payout-routes.ts';
import { isUndecidable, RESOLVED } from './resolve-form.ts';

const resolveBody = z.object({
  action: z.enum(RESOLVE_ACTIONS),
  evidence: storableText,
  order: z.union([z.literal('').transform(() => undefined), storableText]).optional(),
  by: storableText.optional(),
  signed: z.string().optional(),
});

/** `POST /payouts/REFERENCE/resolve`: an operator's decision about a payout in `needs-operator`, as by `payouts resolve`. */
export function resolveRoutes(app: FastifyInstance, context: PagesContext): void {
  const { pages } = context.deps;
  app.post('/payouts/:reference/resolve', async (request, reply) => {
    const row = await payoutIn(request, context);
    const { reference } = row;
    const { action, evidence, order: orderId, ...form } = parsed(resolveBody, request.body, 'form');
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
    const signing = await signedByOperator(request, context, about, { ...form, touched });
    if ('asked' in signing) return signing.asked;
    const asked = { by: signing.by, action: 'resolve', subject: reference, detail: { action, evidence } };
    const resolve = () => pages.resolve(row, { action, evidence, orderId, ...signing });
    await passOn(context, asked, resolve, ['resolve-refused', 'This has no effect yet']);
    return tell(reply, row, RESOLVED);
  });
}
