import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { type Html, html } from '../../reports/html.ts';
import type { AuditEntry, PayoutRecord } from '../../store/store.ts';
import { parsed, storableText } from '../http/documents.ts';
import { ANY_ROLE, accessOf } from '../http/route-access.ts';
import { csrfField, type View } from './layout.ts';
import { moment, payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { byField } from './signed-forms.ts';

/** Action of the audit entry that a comment is. */
const COMMENTED = 'commented';

const commentBody = z.object({ text: storableText, by: storableText.optional() });

/** `POST /payouts/REFERENCE/comments`: a comment on a payout, kept as an entry of the audit log. */
export function commentRoute(
  app: FastifyInstance,
  { store, now }: PagesGateway,
  payoutIn: (request: FastifyRequest) => Promise<PayoutRecord>,
): void {
  app.post('/payouts/:reference/comments', accessOf(ANY_ROLE), async (request, reply) => {
    const { reference } = await payoutIn(request);
    const { text, by } = parsed(commentBody, request.body, 'form');
    const actor = request.caller.name ?? by;
    if (actor === undefined)
      throw new Problem('usage', 'name-missing', 'Your name is missing.', { hint: 'Give your name.' });
    await store.audit({ at: now(), actor, action: COMMENTED, subject: reference, detail: { remark: text } });
    return reply.redirect(`${payoutPath(reference)}#comments`, 303);
  });
}

/** The comments among the entries of a payout, the oldest first, and a form for another one. */
export const commentSection = (view: View, { reference, by }: PayoutRecord, entries: readonly AuditEntry[]): Html => {
  const comments = entries.filter(({ action }) => action === COMMENTED);
  return html`<section id="comments"><h2>Comments</h2>
${comments.length > 0 && html`<ol class="story">${comments.map(({ at, actor, detail }) => html`<li>${moment(at)}<strong>${actor}</strong>: ${detail.remark ?? ''}</li>\n`)}</ol>`}
<details class="more"><summary>Write one${by !== null && `, to ${by} and all others who see this payout`}</summary>
<form class="card" method="post" action="${payoutPath(reference)}/comments">${csrfField(view)}
${view.isTrial && byField()}
<p><label>Comment <input name="text" required maxlength="200" aria-describedby="comment-help"></label>
<span class="quiet" id="comment-help">Kept in the audit log for good. No names of payees, no account numbers.</span></p>
<div class="actions"><button>Send</button></div></form></details></section>`;
};
