import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { askAudited, outcomeInWords } from '../../services/decisions/audited-request.ts';
import { parsed, storableText } from '../schemas.ts';
import { mayCancel } from './may-do.ts';
import type { PagesContext } from './pages-context.ts';
import { payoutIn } from './payout-routes.ts';
import { payoutPath } from './pieces.ts';

const cancelBody = z.object({ reason: storableText, by: storableText.optional() });

/** `POST /payouts/REFERENCE/cancel`: the same as `payouts cancel`. Needs no signature: it only keeps money where it is. */
export function cancelRoutes(app: FastifyInstance, context: PagesContext): void {
  const { deps } = context;
  app.post('/payouts/:reference/cancel', async (request, reply) => {
    const row = await payoutIn(request, context);
    const { reason, by: given } = parsed(cancelBody, request.body, 'body');
    if (!mayCancel(request.caller, row)) {
      throw new Problem('forbidden', 'role-missing', 'You may not cancel this, or it has ended.', {
        hint: 'Its maker may, and an operator, until it has ended.',
      });
    }
    const by = request.caller.name ?? given ?? 'gateway';
    const answer = await askAudited(
      deps,
      { by, action: 'cancel', subject: row.reference, detail: { reason } },
      () => deps.pages.cancel(row, { by, reason }),
      outcomeInWords,
    );
    if (typeof answer !== 'string') {
      throw new Problem('conflict', 'cancel-refused', `It was not cancelled: ${answer.refused}.`, {
        hint: 'Reload the page of the payout.',
      });
    }
    return reply.redirect(`${payoutPath(row.reference)}?told=${encodeURIComponent(answer)}`, 303);
  });
}
