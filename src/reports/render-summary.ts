import { stripVTControlCharacters, styleText } from 'node:util';
import { counted, type Tone, toneOf, wrap } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { groupedAmount } from '../domain/money.ts';
import { type BatchHead, type BatchSummary, ROWS_NAMED } from './batch-report.ts';
import type { ReportedIncident, ReportedPayout, ReportedRefusal } from './report-document.ts';
import { acknowledgementText } from './report-document.ts';
import { STATE_WORDS } from './state-texts.ts';
import type { StepGroup } from './step-groups.ts';

const COLOURS: Readonly<Record<Tone, 'green' | 'red' | 'yellow' | 'cyan'>> = {
  paid: 'green',
  unpaid: 'red',
  attention: 'yellow',
  open: 'cyan',
};

/**
 * The summary for a terminal: amounts by currency and state, then the first unpaid rows with their reasons, without those whose
 * reason the steps below it show for all of them. Colours depend on `stream` (a terminal or not) and `NO_COLOR`.
 */
export function renderSummary(
  { head, unpaid, steps }: BatchSummary,
  {
    stream = process.stdout,
    width = Number.POSITIVE_INFINITY,
  }: { stream?: NodeJS.WritableStream; width?: number } = {},
): string {
  const style = (format: Parameters<typeof styleText>[0], text: string): string => styleText(format, text, { stream });
  const { total, completed } = head.counts;
  const lines = [
    style(
      'bold',
      `${visible(head.file)}: ${head.state}, ${groupedAmount(completed)} of ${counted(total, 'payout')} completed`,
    ),
    `batch ${head.batchId}`,
    ...(head.controlReason === null ? [] : [style('yellow', head.controlReason)]),
    '',
    ...stateTable(head, style),
  ];
  const { incidents } = head;
  if (incidents.length > 0) {
    const open = incidents.filter(({ acknowledged }) => acknowledged === null).length;
    const count = open === incidents.length ? `${open}` : `${open} open of ${incidents.length}`;
    lines.push('', style(open > 0 ? ['bold', 'red'] : 'bold', `incidents: ${count}`));
    lines.push(...incidents.slice(0, ROWS_NAMED).map(incidentLine));
  }
  if (incidents.length > ROWS_NAMED) lines.push(moreLine(incidents.length - ROWS_NAMED));
  const { refused } = head;
  if (refused.length > 0) {
    lines.push('', `rows left out: ${refused.length}`);
    lines.push(...refused.slice(0, ROWS_NAMED).map(refusedLine));
  }
  if (refused.length > ROWS_NAMED) lines.push(moreLine(refused.length - ROWS_NAMED));
  const grouped = steps.filter((step) => unpaid.some((payout) => isShownBy(step, payout)));
  const named = unpaid.filter((payout) => !grouped.some((step) => isShownBy(step, payout)));
  if (named.length > 0) lines.push('', ...named.map((payout) => unpaidLine(payout, style)));
  const others = grouped.reduce((left, { count }) => left - count, total - completed) - named.length;
  if (others > 0) lines.push(moreLine(others));
  return `${lines.flatMap((line) => hanging(line, width)).join('\n')}\n`;
}

const moreLine = (count: number): string => `  and ${groupedAmount(count)} more; the report lists all`;

/** Rows of one kind with different messages have a common sentence, which says less than theirs. */
const isShownBy = ({ kind, why, count }: StepGroup, { reason }: ReportedPayout): boolean =>
  kind === reason?.code && (count === 1 || why === reason.message);

/**
 * A line that is too long continues below, indented. Colour codes count as characters, so it may break early, but never inside a
 * word.
 */
function hanging(line: string, width: number): string[] {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const [first = '', ...rest] = wrap(line.trimStart(), width - INDENT);
  return [
    `${' '.repeat(line.length - line.trimStart().length)}${first}`,
    ...rest.map((it) => `${' '.repeat(INDENT)}${it}`),
  ];
}

const INDENT = 4;

type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

interface TableLine {
  cells: readonly string[];
  format?: Parameters<typeof styleText>[0];
}

function stateTable({ states }: BatchHead, style: Style): string[] {
  const body = states.map(({ state, currency, payouts, amount }) => ({
    cells: [currency, state, groupedAmount(payouts), groupedAmount(amount)],
    format: COLOURS[toneOf(state)],
  }));
  return aligned([{ cells: ['currency', 'state', 'payouts', 'amount'], format: 'bold' }, ...body], style);
}

/** Text left-aligned, figures right-aligned; padded before colouring, since colour codes would count. */
function aligned(table: readonly TableLine[], style: Style): string[] {
  const width = (column: number): number => Math.max(...table.map(({ cells }) => (cells[column] ?? '').length));
  const widths = [0, 1, 2, 3].map(width);
  return table.map(({ cells, format }) => {
    const padded = cells.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    const text = `  ${padded.join('  ')}`;
    return format === undefined ? text : style(format, text);
  });
}

function unpaidLine({ row, id, state, reason }: ReportedPayout, style: Style): string {
  const why = reason === null ? '' : `: ${reason.message} [${reason.code}]`;
  return `  row ${row} ${visible(id)}, ${style(COLOURS[toneOf(state)], STATE_WORDS[state])}${visible(why)}`;
}

function refusedLine({ row, line, findings }: ReportedRefusal): string {
  const why = findings.map(({ column, rule }) => (column === null ? rule : `${column} ${rule}`)).join(', ');
  return `  row ${row}, line ${line}: ${visible(why)}`;
}

function incidentLine(incident: ReportedIncident): string {
  const { row, kind, message, orderId } = incident;
  return `  row ${row}, order ${visible(orderId)}: ${message} [${kind}] ${visible(acknowledgementText(incident))}`;
}
