import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { askKept, outcomeInWords } from '../../services/decisions/asked.ts';
import { keptText, parsed } from '../schemas.ts';
import type { Doorway } from './doorway.ts';
import { mayCancel } from './may-do.ts';
import { payoutIn } from './payout-routes.ts';
import { payoutPath } from './pieces.ts';

const cancelBody = z.object({ reason: keptText, by: keptText.optional() });

/** `POST /payouts/REFERENCE/cancel`: the same as `payouts cancel`. Needs no signature: it only keeps money where it is. */
export function cancelRoutes(app: FastifyInstance, doorway: Doorway): void {
  const { deps } = doorway;
  app.post('/payouts/:reference/cancel', async (request, reply) => {
    const row = await payoutIn(request, doorway);
    const { reason, by: given } = parsed(cancelBody, request.body, 'body');
    if (!mayCancel(request.caller, row)) {
      throw new Problem('forbidden', 'role-missing', 'You may not cancel this, or it has ended.', {
        hint: 'Its maker may, and an operator, until it has ended.',
      });
    }
    const by = request.caller.name ?? given ?? 'gateway';
    const answer = await askKept(
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
