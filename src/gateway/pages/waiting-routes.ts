import type { FastifyInstance } from 'fastify';
import { may } from '../../domain/authority.ts';
import { needsAttention, type PayoutState } from '../../domain/payout-state.ts';
import { openQuestion } from '../../services/decisions/open-question.ts';
import { touches } from '../../services/decisions/verdict.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { Caller } from '../callers.ts';
import type { Doorway } from './doorway.ts';
import { html } from './html.ts';
import { mayVisit, show, viewOf } from './layout.ts';
import { mayDecide, mayHandOver } from './may-do.ts';
import { approvedBy } from './payout-view.ts';
import { badge, type Column, dataTable, money, nothing, payeeText, payoutPath } from './pieces.ts';
import { visibleIncidents } from './visible-incidents.ts';

/** What people decide, and what only an operator resolves. */
const FOR_APPROVERS: readonly PayoutState[] = ['awaiting-approval', 'awaiting-bank-approval', 'held'];
const FOR_OPERATORS: readonly PayoutState[] = ['needs-operator'];
/** Rows that are looked through for those of one person. */
const READ_MAX = 2_000;
const SHOWN_MAX = 100;

const COLUMNS: readonly Column<PayoutRecord>[] = [
  { head: 'Document', cell: ({ reference, documentId }) => html`<a href="${payoutPath(reference)}">${documentId}</a>` },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
  { head: 'From', cell: ({ accountId }) => accountId },
  { head: 'To', cell: payeeText },
  { head: 'Asks for', cell: ({ state }) => badge(state) },
  { head: 'Why', cell: ({ reason }) => reason?.message },
];

/** `/`: what somebody can decide now. */
export function waitingRoutes(app: FastifyInstance, doorway: Doorway): void {
  const { store } = doorway.deps;
  app.get('/', async (request, reply) => {
    const { caller } = request;
    const view = viewOf(request, reply, doorway);
    const waiting = await store.payoutsIn([...FOR_APPROVERS, ...FOR_OPERATORS], READ_MAX);
    const mine = await waitingFor(doorway, caller, waiting);
    const open = mayVisit('/incidents', caller)
      ? await visibleIncidents(caller, store, await store.incidents({ open: true, limit: SHOWN_MAX }))
      : [];
    const body = html`<h1>Waits for me</h1>
${open.length > 0 && html`<p class="problem"><a href="/incidents">${open.length} open ${open.length === 1 ? 'incident' : 'incidents'}</a>: the bank shows something else than what was stored.</p>`}
${
  mine.length === 0
    ? nothing('Nothing waits for you.')
    : dataTable('The oldest first', COLUMNS, mine.slice(0, SHOWN_MAX))
}
${mine.length > SHOWN_MAX && html`<p class="quiet">The first ${SHOWN_MAX} are shown. Their batches list all of them.</p>`}
${mayHandOver(caller) && html`<p><a class="button" href="/batches/new">Hand over a file</a></p>`}`;
    return show(reply, view, { title: 'Waits for me', body });
  });
}

/** Those of a person who has not decided yet; no more than are shown, and one that says that there are more. */
async function waitingFor(doorway: Doorway, caller: Caller, rows: readonly PayoutRecord[]): Promise<PayoutRecord[]> {
  const { store } = doorway.deps;
  const mine: PayoutRecord[] = [];
  for (const row of rows.filter((it) => isFor(caller, it))) {
    const approved = await approvedBy(doorway, row, await openQuestion(store, row));
    if (caller.name === undefined || !approved.includes(caller.name)) mine.push(row);
    if (mine.length > SHOWN_MAX) break;
  }
  return mine;
}

function isFor(caller: Caller, row: PayoutRecord): boolean {
  const { person } = caller;
  if (!needsAttention(row.state, row.reason)) return false;
  if (person === undefined) return true;
  if (FOR_OPERATORS.includes(row.state)) return may(person, 'resolve', touches(row));
  return mayDecide(caller, row);
}
