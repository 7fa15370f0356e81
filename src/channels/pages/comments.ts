import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { counted } from '../../domain/display.ts';
import { isEnd } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import type { StoreReader } from '../../platform/app.ts';
import { type Html, html } from '../../reports/html.ts';
import { COMMENTED } from '../../store/audit/entry.ts';
import type { AuditEntry, PayoutRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { parsed, storableText } from '../http/documents.ts';
import { maySeePayout } from '../http/may-see.ts';
import { ANY_ROLE, accessOf } from '../http/route-access.ts';
import { csrfField, type View } from './layout.ts';
import { type Column, dataTable, moment, payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';
import { byField } from './signed-forms.ts';

const commentBody = z.object({ text: storableText, by: storableText.optional() });

/** `POST /payouts/REFERENCE/comments`: a comment on a payout, kept as an entry of the audit log. */
export function commentRoute(
  app: FastifyInstance,
  { store, now }: PagesGateway,
  payoutIn: (request: FastifyRequest) => Promise<PayoutRecord>,
): void {
  app.post('/payouts/:reference/comments', accessOf(ANY_ROLE), async (request, reply) => {
    const { reference, uid } = await payoutIn(request);
    const { text, by } = parsed(commentBody, request.body, 'form');
    const actor = request.caller.name ?? by;
    if (actor === undefined)
      throw new Problem('usage', 'name-missing', 'Your name is missing.', { hint: 'Give your name.' });
    await store.recordComment({ reference, uid, actor, text, at: now() });
    return reply.redirect(`${payoutPath(reference)}#comments`, 303);
  });
}

const RECENT_MS = 30 * 86_400_000;
const READ_MAX = 500;
const SHOWN_MAX = 50;

export interface OpenComment {
  row: PayoutRecord;
  /** The last comment on it. */
  last: AuditEntry;
}

/** Payouts whose last comment concerns the caller, the newest first. */
export async function openComments({ store, now }: StoreReader, caller: Caller): Promise<OpenComment[]> {
  const { name } = caller;
  const entries = await store.commentsFor({ name, since: now() - RECENT_MS, limit: READ_MAX });
  const lasts = [...Map.groupBy(entries, ({ subject }) => subject).values()].flatMap(([last]) => last ?? []);
  const rows = new Map((await store.payoutsOf(lasts.map(({ subject }) => subject))).map((row) => [row.reference, row]));
  return lasts.flatMap((last) => {
    const row = rows.get(last.subject);
    return row !== undefined && maySeePayout(caller, row) && concerns(name, { row, last }) ? [{ row, last }] : [];
  });
}

/** The maker: what they have not answered. Others who have said something: news, until the payout has ended. */
function concerns(name: string | undefined, { row, last }: OpenComment): boolean {
  if (last.actor === name) return false;
  if (name === undefined || row.by === name) return last.actor !== row.by;
  return !isEnd(row.state);
}

const COMMENTS: readonly Column<OpenComment>[] = [
  { head: 'Document', cell: ({ row }) => html`<a href="${payoutPath(row.reference)}#comments">${row.documentId}</a>` },
  {
    head: 'Who',
    cell: ({ row, last }) => (last.actor === row.by ? `answered by ${last.actor}` : last.actor),
  },
  { head: 'Comment', cell: ({ last }) => commentText(last) },
  { head: 'When', cell: ({ last }) => moment(last.at) },
];

/** For the inbox: comments that the caller has not answered, and answers to theirs; false if there are none. */
export async function commentsInbox(gateway: PagesGateway, caller: Caller): Promise<Html | false> {
  const open = await openComments(gateway, caller);
  const caption =
    open.length > SHOWN_MAX ? `The newest ${SHOWN_MAX}` : 'An answer, or the end of the payout, clears them';
  return (
    open.length > 0 &&
    html`<section class="card"><h2>${counted(open.length, 'comment')} for you</h2>
${dataTable(caption, COMMENTS, open.slice(0, SHOWN_MAX))}</section>`
  );
}

export const commentText = ({ detail }: AuditEntry): string => (typeof detail.remark === 'string' ? detail.remark : '');

/** The comments among the entries of a payout, the oldest first, and a form for another one. */
export const commentSection = (view: View, { reference, by }: PayoutRecord, entries: readonly AuditEntry[]): Html => {
  const comments = entries.filter(({ action }) => action === COMMENTED);
  const last = comments.at(-1);
  const isAsked = last !== undefined && by !== null && last.actor !== by;
  const isAnswered = last?.actor === by && comments.some(({ actor }) => actor !== by);
  const isOpen = isAsked && (view.caller?.name ?? by) === by;
  return html`<section id="comments"><h2>Comments</h2>
${isAsked && html`<p class="attend">${by} has not answered yet.</p>`}${isAnswered && html`<p class="note">Answered by ${by}.</p>`}
${comments.length > 0 && html`<ol class="story">${comments.map((it) => html`<li>${moment(it.at)}<strong>${it.actor}</strong>: ${commentText(it)}</li>\n`)}</ol>`}
<details class="more"${isOpen && html` open`}><summary>Write one${by !== null && `, to ${by} and all others who see this payout`}</summary>
<form class="card" method="post" action="${payoutPath(reference)}/comments">${csrfField(view)}
${view.isTrial && byField()}
<p><label>Comment <input name="text" required maxlength="200" aria-describedby="comment-help"></label>
<span class="quiet" id="comment-help">Kept in the audit log for good. No names of payees, no account numbers.</span></p>
<div class="actions"><button>Send</button></div></form></details></section>`;
};
