import { agoOf, counted, spanOf, stateWords, type Tone, toneOf, totalsText } from '../../domain/display.ts';
import { groupedAmount, type Total } from '../../domain/money.ts';
import type { BatchState, ResolveAction, ShownState } from '../../domain/payout-state.ts';
import { shownStateOf } from '../../domain/returned.ts';
import { type Html, html, type Part } from '../../reports/html.ts';
import { payeeText } from '../../reports/masked.ts';
import { type NextStep, NOBODY } from '../../reports/next-step.ts';
import { STATE_WORDS } from '../../reports/state-texts.ts';
import type { StepGroup } from '../../reports/step-groups.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { maySubmitFiles } from '../http/may-see.ts';
import { mayVisit } from './layout.ts';
import type { PayeeNames } from './payee-names.ts';
import { timeText } from './reader.ts';

/** An id of the bank: a short one is not broken at its hyphens where there is room. */
export const idText = (id: string | null): Part =>
  id === null || id.length > 24 ? id : html`<span class="id">${id}</span>`;

/** `2026-03-31 14:05:09 UTC`, in the time zone of the reader. */
export const moment = (at: number): Html => html`<time datetime="${new Date(at).toISOString()}">${timeText(at)}</time>`;

export const money = (amount: string, currency: string): Html =>
  html`<span class="figure">${groupedAmount(amount)} ${currency}</span>`;

export const badge = (state: ShownState): Html =>
  html`<span class="badge ${toneOf(state)}">${stateWords(state)}</span>`;

const BATCH_TONE: Readonly<Record<BatchState, Tone>> = {
  open: 'open',
  paused: 'attention',
  cancelling: 'open',
  'needs-operator': 'attention',
  completed: 'paid',
  'completed-with-exceptions': 'unpaid',
  cancelled: 'unpaid',
};

export const batchBadge = (state: BatchState): Html =>
  html`<span class="badge ${BATCH_TONE[state]}">${stateWords(state)}</span>`;

export const payoutPath = (reference: string): string => `/payouts/${encodeURIComponent(reference)}`;
export const payeePath = (uid: string, payeeId: string): string =>
  `/payees/${encodeURIComponent(uid)}/${encodeURIComponent(payeeId)}`;
export const batchPath = (batchId: string): string => `/batches/${encodeURIComponent(batchId)}`;

export interface Column<Row> {
  head: string;
  cell(row: Row): Part;
  isFigure?: boolean;
}

export const TOTALS: readonly Column<Total>[] = [
  { head: 'Currency', cell: ({ currency }) => currency },
  { head: 'Payouts', isFigure: true, cell: ({ count }) => groupedAmount(count) },
  { head: 'Amount', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
];

/** A table that becomes a list of cards in a narrow window; its first column is the row's heading. */
export function dataTable<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  const figure = ({ isFigure }: Column<Row>): Part => isFigure === true && html` class="figure"`;
  const heads = columns.map((column) => html`<th scope="col"${figure(column)}>${column.head}</th>`);
  const cells = (row: Row): Html[] =>
    columns.map((column, n) =>
      n === 0
        ? html`<th scope="row">${column.cell(row)}</th>`
        : html`<td data-head="${column.head}"${figure(column)}>${column.cell(row)}</td>`,
    );
  return html`<table><caption>${caption}</caption><thead><tr>${heads}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table>`;
}

/** Shown without a click, so that the end of the page is near. */
export const FIRST_ROWS = 20;

/** A table whose first rows are shown, and the others behind a click; `others` says what these are. */
export function foldedTable<Row>(
  [first, others]: readonly [caption: string, others: (hidden: readonly Row[]) => string],
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Html {
  const hidden = rows.slice(FIRST_ROWS);
  return html`${dataTable(first, columns, rows.slice(0, FIRST_ROWS))}
${hidden.length > 0 && html`<details class="more"><summary>${others(hidden)}</summary>${dataTable('The next', columns, hidden)}</details>`}`;
}

export const moreRows = (hidden: readonly unknown[]): string => counted(hidden.length, 'more row');

/** Names and values; those without a value are left out. */
export const factList = (facts: readonly (readonly [name: string, value: Part])[]): Html =>
  html`<dl class="facts">${facts
    .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const nothing = (text: string): Html => html`<p class="empty">${text}</p>`;

export const ROW = {
  document: {
    head: 'Document',
    cell: ({ reference, documentId }) => html`<a href="${payoutPath(reference)}">${documentId}</a>`,
  },
  amount: { head: 'Amount', isFigure: true, cell: ({ instruction: { amount, currency } }) => money(amount, currency) },
  from: { head: 'From', cell: ({ accountId }) => idText(accountId) },
  // Each part by itself: a name that is written from right to left would turn the account number around. Together one value.
  to: {
    head: 'To',
    cell: (row) => {
      const parts = payeeText(row).split(' ');
      return html`<span>${parts.map((part) => html`<bdi>${part}</bdi> `)}</span>`;
    },
  },
  state: { head: 'State', cell: (row) => badge(shownStateOf(row).state) },
  why: { head: 'Why', cell: (row) => shownStateOf(row).reason?.message },
} satisfies Record<string, Column<PayoutRecord>>;

/** The payee, with a link to its page where the caller may visit it. */
export const toColumn = (caller: Caller, names: PayeeNames): Column<PayoutRecord> => ({
  head: 'To',
  cell: ({ reference, uid, kind, instruction: { beneficiary_id: payeeId } }) => {
    const parts = (names.get(reference) ?? '').split(', ');
    const shown = html`<span>${parts.map((part) => html`<bdi>${part}</bdi> `)}</span>`;
    const isLinked = kind === 'payout' && payeeId !== undefined && mayVisit('/payees', caller);
    return isLinked ? html`<a href="${payeePath(uid, payeeId)}">${shown}</a>` : shown;
  },
});

export const MEANS: Readonly<Record<ResolveAction, string>> = {
  'keep-looking': 'Check the bank again',
  'adopt-order': 'Follow the order named below',
  resend: 'Send it again under the same reference',
  'close-as-not-paid': 'Close it: no money has moved',
};

export interface StepContext {
  caller: Caller;
  /** Epoch ms. */
  now: number;
}

/**
 * What the pages have instead of a command: a button of a person who may act, or another page; undefined if there is only the command.
 */
function instead(command: string, caller: Caller): Html | undefined {
  const [, verb = '', action = ''] = /^payouts (\w+(?: list| show)?)(?:.* --action (\S+))?/.exec(command) ?? [];
  const page = (path: string, name: string): Html | undefined =>
    mayVisit(path, caller) ? html`<a href="${path}">${name}</a>` : undefined;
  switch (verb) {
    case 'approve':
      return html`<strong>Approve</strong>`;
    case 'reject':
      return html`<strong>Reject</strong>`;
    case 'cancel':
      return html`<strong>Cancel</strong>`;
    case 'recheck':
      return html`<strong>Check again</strong>`;
    case 'resolve':
      return html`<strong>Resolve</strong> (“${MEANS[action as ResolveAction]}”)`;
    case 'retry':
      return maySubmitFiles(caller) ? html`<strong>Pay again</strong>` : undefined;
    case 'acknowledge':
      return html`<strong>Acknowledge</strong>`;
    case 'switch list':
      return page('/switches', 'Switches');
    case 'incidents':
      return page('/incidents', 'Incidents');
    case 'status':
      return html`its page`;
    case 'audit show':
      return html`the history on its page`;
    default:
      return undefined;
  }
}

/** A text whose commands are replaced by what the page has instead, if anything. */
export const todoText = (todo: string, caller: Caller): Html =>
  html`${todo.split('`').map((part, n): Part => (n % 2 === 0 ? part : (instead(part, caller) ?? html`<code>${part}</code>`)))}`;

/**
 * Since when a row waits or has ended, until when, who may act, what to do, and what happens without that: the texts of `payouts
 * status`. Commands for which the page has a button are left out.
 */
export function stepFacts(step: NextStep, context: StepContext, label = 'To do'): Html {
  const { hasEnded, since, until, arrives, who, todo, byItself } = step;
  const { caller, now } = context;
  const isToDo = !hasEnded || who !== NOBODY;
  const commands = step.commands.filter((it) => instead(it, caller) === undefined);
  return html`<div class="step">${factList([
    [hasEnded ? 'Ended' : 'Since', html`${moment(since)}, ${agoOf(now - since)}`],
    ['Until', !hasEnded && (until === null ? 'no deadline' : untilText(until, now))],
    ['Arrives', arrives],
    ['Who', isToDo && who],
    ['Otherwise', isToDo && byItself],
    [label, todo === '' ? 'Nothing.' : todoText(todo, caller)],
  ])}
${
  commands.length > 0 &&
  html`<p class="quiet">On the command line:</p>\n<pre class="copy">${commands.map((it) => html`${it}\n`)}</pre>`
}</div>`;
}

const untilText = (until: number, now: number): Html =>
  html`${moment(until)}, ${until > now ? `in ${spanOf(until - now)}` : 'already passed'}`;

/** Kinds of rows that wait or ended unpaid, each with count, amount, next steps and rows. `isCut`: not all rows were read. */
export const groupSections = (
  groups: readonly StepGroup[],
  { context, rowsOf = rowLinks, isCut }: { context: StepContext; rowsOf?: (group: StepGroup) => Html; isCut: boolean },
): Html =>
  html`${groups.map((group) => {
    const { kind, state, count, totals, needsAttention, why } = group;
    return html`<details class="card"${needsAttention && html` open`}>
<summary><h2>${isCut && 'At least '}${counted(count, 'payout')} ${STATE_WORDS[state]}, ${totalsText(totals)}</h2></summary>
<p class="${needsAttention ? 'attend' : 'note'}">${why} (<code>${kind}</code>)</p>
${stepFacts(group, context, count === 1 ? 'To do, on its page' : 'To do, on the page of each')}
${rowsOf(group)}
</details>`;
  })}`;

/** The most rows that are named; the others are counted. */
const NAMED_MAX = 5;

function rowLinks({ rows, count }: StepGroup): Html {
  const named = rows.slice(0, NAMED_MAX);
  const more = count - named.length;
  const links = named.map(
    ({ reference, documentId }, n) => html`${n > 0 && ', '}<a href="${payoutPath(reference)}">${documentId}</a>`,
  );
  return html`<p>${links}${more > 0 && ` and ${groupedAmount(more)} more`}</p>`;
}
