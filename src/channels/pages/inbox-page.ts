import type { FastifyInstance } from 'fastify';
import { acting, may, type Question, type Rights } from '../../domain/authority.ts';
import { counted } from '../../domain/display.ts';
import { AWAITING_DECISION_STATES, needsAttention, type ShownState } from '../../domain/payout-state.ts';
import { openQuestion } from '../../people/decisions/shown-question.ts';
import { type SignedQuestion, scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import { type Html, html } from '../../reports/html.ts';
import { payeeInFull } from '../../reports/masked.ts';
import { stepContext } from '../../reports/report-source.ts';
import { type StepGroup, stepGroups } from '../../reports/step-groups.ts';
import type { KeptApproval, PayoutRecord, WaitingFor } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { mayDecide, maySeePayee, maySubmitFiles } from '../http/may-see.ts';
import { slowRows } from '../http/operations/inbox-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { mayDecideBatch } from './batch-decision-page.ts';
import { commentsInbox } from './comments.ts';
import { SHOWN_MAX as INCIDENTS_MAX, visibleIncidents } from './incidents-page.ts';
import { mayVisit, placeAccess, show, viewOf } from './layout.ts';
import { batchPath, type Column, foldedTable, groupSections, moment, moreRows, nothing, ROW } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

/** The most payouts in a person's scope that are searched for undecided ones. */
const READ_MAX = 1_000;
const READ_AT_ONCE = 100;
const SHOWN_MAX = 100;

const columnsFor = (caller: Caller, itemsOf: ItemsOf): readonly Column<PayoutRecord>[] => [
  ...[ROW.document, ROW.amount],
  {
    head: 'To',
    cell: (row) => (maySeePayee(caller, row) ? html`<bdi>${payeeInFull(row, itemsOf(row))}</bdi>` : ROW.to.cell(row)),
  },
  ROW.from,
  { head: 'Since', cell: ({ stateSince }) => moment(stateSince) },
  ROW.why,
];

type ItemsOf = (row: PayoutRecord) => Readonly<Record<string, string>> | undefined;

/** Details of the payees that rows name by id, as the bank last showed them. */
async function seenPayees({ store }: PagesGateway, rows: readonly PayoutRecord[]): Promise<ItemsOf> {
  const idOf = ({ uid, instruction: { beneficiary_id: payeeId = '' } }: PayoutRecord) => ({ uid, payeeId });
  const keyOf = ({ uid, payeeId }: ReturnType<typeof idOf>): string => JSON.stringify([uid, payeeId]);
  const known = new Map((await store.payeesOf(rows.map(idOf))).map((seen) => [keyOf(seen), seen.items]));
  return (row) => known.get(keyOf(idOf(row))) ?? undefined;
}

/** Links to decide all waiting rows of a batch together, where the viewer may. */
async function togetherLinks(
  { store }: PagesGateway,
  caller: Caller,
  { state, rows }: StepGroup,
  isCut: boolean,
): Promise<Html | false> {
  if (!PLANNED_STATES.includes(state)) return false;
  const counts = Map.groupBy(rows, ({ batchId }) => batchId);
  const links: Html[] = [];
  for (const [batchId, its] of counts) {
    const batch = batchId === null || its.length < 2 ? undefined : await store.batch(batchId);
    if (batch === undefined || !mayDecideBatch(caller, batch)) continue;
    links.push(
      html`<a class="button main" href="${batchPath(batch.batchId)}/decide">Decide ${isCut ? 'the rows' : counted(its.length, 'row')} of ${batch.file} together</a> `,
    );
  }
  return links.length > 0 && html`<p class="actions">${links}</p>`;
}

const PLANNED_STATES: readonly ShownState[] = ['awaiting-approval', 'awaiting-bank-approval'];

/** `/`: what the viewer can decide now. */
export function waitingRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/', accessOf(placeAccess('/')), async (request, reply) => {
    const { caller } = request;
    const waiting = await waitingReferences(gateway, caller);
    const mine = await waitingFor(gateway, caller, waiting);
    request.waiting = countText(mine.length, mine.length > SHOWN_MAX);
    const off = mayVisit('/switches', caller) ? await store.switches() : [];
    const open = mayVisit('/incidents', caller) ? await visibleIncidents(caller, store, true) : [];
    // Nobody has to decide them, so that they are not counted.
    const slow = (await slowRows(gateway, caller, caller.person)).slice(0, SHOWN_MAX);
    const shown = [...mine.slice(0, SHOWN_MAX), ...slow].toSorted((a, b) => a.stateSince - b.stateSince);
    const isCut = mine.length > SHOWN_MAX;
    const groups = stepGroups(shown, await stepContext(gateway, shown));
    const columns = columnsFor(caller, await seenPayees(gateway, shown));
    // What the heading of a group says of all its rows is not repeated.
    const columnsOf = ({ rows }: StepGroup) =>
      new Set(rows.map(({ reason }) => reason?.message)).size > 1 ? columns : columns.filter((it) => it !== ROW.why);
    const together = new Map<StepGroup, Html | false>();
    for (const group of groups) together.set(group, await togetherLinks(gateway, caller, group, isCut));
    const comments = await commentsInbox(gateway, caller);
    const body = html`<h1>Inbox</h1>
${open.length > 0 && html`<p class="problem"><a href="/incidents">${open.length === INCIDENTS_MAX && 'At least '}${counted(open.length, 'open incident')}</a>: the bank shows something different from what was stored.</p>`}
${off.length > 0 && html`<p class="attend">${off.some(({ scope }) => scope === 'everything') ? html`<a href="/switches">Everything is switched off</a>: nothing is sent.` : html`<a href="/switches">Something is switched off</a>: payouts that it concerns are not sent.`}</p>`}
${comments}
${
  groups.length === 0
    ? comments === false && nothing('Nothing waits for you.')
    : groupSections(groups, {
        context: { caller, now: gateway.now() },
        rowsOf: (group) =>
          html`${together.get(group)}${foldedTable(['Oldest first', moreRows], columnsOf(group), group.rows)}`,
        isCut,
      })
}
${isCut && html`<p class="quiet">The first ${SHOWN_MAX} are shown. Their batches list all of them.</p>`}
${!isCut && waiting.length >= READ_MAX && html`<p class="quiet">Only the oldest ${READ_MAX} waiting payouts were checked. The pages of the batches show newer ones.</p>`}
${maySubmitFiles(caller) && html`<p><a class="button" href="/batches/new">Submit a file</a></p>`}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Inbox', body });
  });
}

/** How many payouts wait for the caller, for the header of a page; undefined: none. */
export async function waitingText(gateway: PagesGateway, caller: Caller): Promise<string | undefined> {
  const waiting = await waitingReferences(gateway, caller);
  const mine = await waitingFor(gateway, caller, waiting.slice(0, COUNTED_MAX));
  return countText(mine.length, mine.length > SHOWN_MAX || waiting.length > COUNTED_MAX);
}

/** The most payouts that the count of a page reads. */
const COUNTED_MAX = 200;

const countText = (count: number, hasMore: boolean): string | undefined =>
  count === 0 ? undefined : `${Math.min(count, SHOWN_MAX)}${hasMore ? '+' : ''}`;

/** Of everything that may be for the caller, in their own name or in that of somebody they stand in for. */
async function waitingReferences({ store }: PagesGateway, { person }: Caller): Promise<string[]> {
  const names = person === undefined ? [undefined] : acting(person);
  const found = new Set<string>();
  for (const one of names) {
    const some = await store.waitingPayouts({ ...waitingIn(one), notBy: person?.name, limit: READ_MAX });
    for (const reference of some) found.add(reference);
  }
  return [...found];
}

function waitingIn(person: Rights | undefined): Omit<WaitingFor, 'limit' | 'notBy'> {
  const decides = (question: Question): boolean => person === undefined || may(person, question);
  const states = new Set<WaitingFor['states'][number]>([
    ...(decides('payout') ? AWAITING_DECISION_STATES : []),
    ...(decides('screening') ? (['held'] as const) : []),
    ...(decides('resolve') ? (['needs-operator', 'awaiting-funds'] as const) : []),
    ...(decides('make') ? (['awaiting-funds'] as const) : []),
  ]);
  return { states: [...states], scope: person?.scope ?? {} };
}

/** Those that the caller has not decided yet: at most one more than are shown, which means that there are more. */
async function waitingFor(
  gateway: PagesGateway,
  caller: Caller,
  references: readonly string[],
): Promise<PayoutRecord[]> {
  const mine: PayoutRecord[] = [];
  for (let at = 0; at < references.length && mine.length <= SHOWN_MAX; at += READ_AT_ONCE) {
    const rows = await undecided(gateway, caller, references.slice(at, at + READ_AT_ONCE));
    mine.push(...rows.slice(0, SHOWN_MAX + 1 - mine.length));
  }
  return mine;
}

async function undecided(
  gateway: PagesGateway,
  caller: Caller,
  references: readonly string[],
): Promise<PayoutRecord[]> {
  const { store } = gateway;
  const found = new Map((await store.payoutsOf(references)).map((row) => [row.reference, row]));
  const rows = references.flatMap((reference) => found.get(reference) ?? []).filter((row) => isFor(caller, row));
  const { person } = caller;
  if (person === undefined) return rows;
  const credentials = person.credentials.map(({ id }) => id);
  const approvals = await store.decidedBy({ subject: person.name, credentials, now: gateway.now() }, rows);
  const about = Map.groupBy(approvals, ({ reference }) => reference);
  const waiting: PayoutRecord[] = [];
  for (const row of rows) {
    const mine = about.get(row.reference);
    if (mine === undefined || !isApproved(await openQuestion(gateway, row), mine)) waiting.push(row);
  }
  return waiting;
}

/** Whether an approval covers what is asked now; that of a plan does not cover a row that asks for its own. */
const isApproved = (asked: SignedQuestion | undefined, approvals: readonly KeptApproval[]): boolean =>
  approvals.some(
    ({ question, digest, byPlan }) =>
      question === asked?.question && digest === asked.digest && !(byPlan && asked.alone === true),
  );

function isFor(caller: Caller, row: PayoutRecord): boolean {
  const { person } = caller;
  if (!needsAttention(row.state, row.reason)) return false;
  if (person === undefined) return true;
  const touches = scopeFactsOfRow(row);
  if (row.state === 'needs-operator') return may(person, 'resolve', touches);
  if (row.state === 'awaiting-funds') return may(person, 'resolve', touches) || may(person, 'make', touches);
  return mayDecide(caller, row);
}
