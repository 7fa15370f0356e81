import type { WaitingPayout } from '../channels/http/operations/waiting-operations.ts';
import { counted, labelledLines, shortId, totalsText, widthOf, wrap } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { groupedAmount, type Sum, totalsOf } from '../domain/money.ts';
import { flagsText, objectionOf } from '../domain/payee.ts';
import { Problem } from '../domain/problem.ts';
import { isReasonCode, REASONS } from '../domain/reasons.ts';
import type { ShownRow } from '../people/decisions/batch-plan.ts';
import type { ShownQuestion } from '../people/decisions/shown-question.ts';
import { checkText } from '../reports/check-texts.ts';
import type { Comparison } from '../reports/comparison.ts';
import { payeeInFull } from '../reports/masked.ts';
import { kindOf } from '../reports/next-step.ts';
import { askedFacts, changesSince, flagTexts, paidFacts, questionText } from '../reports/question-facts.ts';
import type { PayoutRecord } from '../store/store.ts';
import { filledTable, table } from './output.ts';

export const LISTED_MAX = 20;
const SHOWN_MAX = 5;

/** Comparisons as text; empty if there are none. */
export const bothSidesText = (sides: readonly Comparison[], width: number): string =>
  sides.map((it) => comparisonText(it, width)).join('\n\n');

function comparisonText({ title, sides, lines, note }: Comparison, width: number): string {
  const rows = lines.map(({ name, values, differs }) => [name, ...values, differs ? 'differs' : '']);
  return [
    visible(title),
    ...(rows.length === 0 ? [] : [table(['of each', ...sides, 'same?'], rows, width)]),
    ...(note === undefined ? [] : wrap(note, width)),
  ].join('\n');
}

/** For rows held because of a verdict on their payee: what the verdict says, names included. */
export function verdictsText(waiting: readonly Pick<WaitingPayout, 'row' | 'checks'>[], width: number): string {
  const judged = waiting.flatMap(({ row, checks }) => {
    const check = checks.find((it) => objectionOf(it) === row.reason?.code);
    return check === undefined ? [] : [{ row, check }];
  });
  return judged
    .slice(0, SHOWN_MAX)
    .flatMap(({ row: { documentId, reference }, check }) =>
      wrap(visible(`${documentId} (${shortId(reference)}): ${checkText(check)}`), width),
    )
    .join('\n');
}

/** The most names of a kind that are shown; the others are counted. */
const NAMED_MAX = 5;

/** What a person is about to decide on: a table of the rows, or `questions`, where each is signed. */
export function decisionTable(
  waiting: readonly ShownRow[],
  decision: 'approve' | 'reject' = 'approve',
  questions?: string,
): string {
  const width = widthOf(process.stderr);
  const payouts = waiting.map(({ row }) => row);
  return [
    kindTable(payouts, width),
    ...(waiting.length > 1 ? summaryLines(waiting, width) : []),
    '',
    questions ?? rowTable(waiting, width),
    ...(decision === 'approve' ? onlyChecksLines(payouts, width) : []),
  ].join('\n');
}

export const byKind = (payouts: readonly PayoutRecord[]): Map<string, PayoutRecord[]> => Map.groupBy(payouts, kindOf);

/** The amount that the digest of a decision covers; the row's own columns are only for searching. */
const paid = ({ instruction }: PayoutRecord): Sum => instruction;

function kindTable(payouts: readonly PayoutRecord[], width: number): string {
  const rows = [...byKind(payouts)].map(([kind, some]) => [
    kind,
    groupedAmount(some.length),
    totalsText(totalsOf(some.map(paid))),
    isReasonCode(kind) ? REASONS[kind].says : '',
  ]);
  return table(['kind', 'payouts', 'amount', 'why'], rows, width);
}

function summaryLines(waiting: readonly ShownRow[], width: number): string[] {
  const payouts = waiting.map(({ row }) => row);
  const flags = payouts.flatMap(({ assessed }) => [...(assessed?.flags ?? [])]);
  const flagged = [...Map.groupBy(flags, (flag) => flag)].map(
    ([flag, some]) => `${flagsText([flag])} (${some.length})`,
  );
  const named = (what: string, of: (waits: ShownRow) => string): string => namesOf(waiting.map(of), what);
  const lines = [
    ['total', totalsText(totalsOf(payouts.map(paid)))],
    ['from', named('account', ({ row }) => row.instruction.account_id)],
    ['to', named('payee', payeeOf)],
    ['maker', named('maker', ({ row }) => row.by ?? 'unknown')],
    ['flags', flagged.join(', ')],
  ] as const;
  const shown = lines.map(([label, text]) => [label, visible(text)] as const);
  return ['', ...labelledLines(shown, { labelWidth: 'total  '.length, width })];
}

function namesOf(all: readonly string[], what: string): string {
  const distinct = [...new Set(all)];
  if (distinct.length <= NAMED_MAX) return distinct.join(', ');
  return `${counted(distinct.length, what)}: ${distinct.slice(0, NAMED_MAX).join(', ')} and others`;
}

function rowTable(waiting: readonly ShownRow[], width: number): string {
  const shown = waiting.slice(0, LISTED_MAX);
  const columns: [head: string, cell: (waits: ShownRow) => string][] = [
    ['document', ({ row }) => row.documentId],
    ['payout', ({ row }) => shortId(row.reference)],
    ['amount', ({ row }) => amountText(row)],
    ['from', ({ row }) => row.instruction.account_id],
    ['to', payeeCell],
    ['note', ({ row }) => row.instruction.note ?? ''],
    // Shown if it differs from the kind: an order in the bank's audit whose payee has changed, say.
    ['because', ({ row }) => (row.reason?.code === kindOf(row) ? '' : (row.reason?.code ?? ''))],
    ['flags', ({ row }) => flagsText(row.assessed?.flags)],
  ];
  const lines = [filledTable(columns, shown, width)];
  const more = waiting.length - shown.length;
  const [batchId] = new Set(waiting.map(({ row }) => row.batchId));
  const where = batchId == null ? 'payouts inbox' : `payouts status ${shortId(batchId)}`;
  if (more > 0) lines.push(`and ${groupedAmount(more)} more: ${where}`);
  return lines.join('\n');
}

/** Warns that approving does not accept a frozen account or a changed payee: it only checks again. */
function onlyChecksLines(payouts: readonly PayoutRecord[], width: number): string[] {
  const kinds = [...byKind(payouts).keys()].filter((kind) => isReasonCode(kind) && REASONS[kind].approvalOnlyChecks);
  if (kinds.length === 0) return [];
  const text = `Approving ${kinds.join(', ')} accepts nothing: the bank is checked again, and the payout is held again if nothing has changed.`;
  return ['', ...wrap(text, width)];
}

/** For an exchange on its own, also what it sells by its last quote. */
function amountText({ kind, instruction: { amount, currency }, assessed }: PayoutRecord): string {
  const { quotedSellAmount, sellCurrency } = assessed?.exchange ?? {};
  const sold = kind === 'exchange' && quotedSellAmount !== undefined;
  const price = sold ? ` for ${groupedAmount(quotedSellAmount)} ${sellCurrency}` : '';
  return `${groupedAmount(amount)} ${currency}${price}`;
}

const payeeOf = ({ row, payee }: ShownRow): string => payeeInFull(row, payee?.items);

/** Marked if the row gives the payee by its details, or looks like an earlier payout. */
function payeeCell(waits: ShownRow): string {
  const { instruction, kind, lookAlikeOf } = waits.row;
  const flags = [
    instruction.beneficiary_id === undefined && kind === 'payout' ? 'given by its details' : '',
    lookAlikeOf === null ? '' : 'look-alike',
  ];
  return [payeeOf(waits), ...flags].filter((part) => part !== '').join(', ');
}

/** Why each of these cannot be approved now. Throws a `Problem` if none can. */
export function assertApprovable(questions: readonly ShownQuestion[]): void {
  const [first, ...others] = questions.filter(({ differs }) => differs !== undefined);
  if (first === undefined || others.length + 1 < questions.length) return;
  const what = others.length === 0 ? 'It cannot' : `None of ${counted(questions.length, 'payout')} can`;
  throw new Problem('conflict', 'asks-otherwise', `${what} be approved now: ${first.differs}.`, {
    hint: `Check again in a moment; \`payouts reject ${shortId(first.row.reference)}\` still counts.`,
  });
}

/** Everything that each signature covers. */
export const questionsText = (questions: readonly ShownQuestion[], width: number): string =>
  questions.map((question) => oneText(question, width)).join('\n\n');

function oneText(question: ShownQuestion, width: number): string {
  const { row, differs } = question;
  const { amount, currency } = row.instruction;
  const facts = [
    ['Amount', `${groupedAmount(amount)} ${currency}`] as const,
    ...paidFacts(question),
    ['Maker', row.by ?? 'not known'] as const,
    ['Check', flagTexts(row, question.alike).join(', ')] as const,
    ...askedFacts(question),
  ].map(([label, text]) => [label, text == null ? text : visible(text)] as const);
  const labelWidth = Math.max(...facts.map(([label, text]) => (text ? label.length : 0))) + 2;
  return [
    `${visible(row.documentId)} (${shortId(row.reference)}): ${questionText(question)}`,
    ...labelledLines(facts, { indent: 2, labelWidth, width }),
    ...(differs === undefined ? [] : wrap(visible(`It cannot be approved now: ${differs}.`), width)),
  ].join('\n');
}

/** Completes a refusal by what has changed since the question was shown. */
export function sinceShown(
  shown: ShownQuestion,
  now: ShownQuestion | undefined,
  { refused, decision }: { refused: string; decision: string },
): string {
  if (now === undefined) return refused;
  const { row } = now;
  if (now.asked === undefined) return `${refused}; it is ${row.state} now`;
  if (now.asked.digest === shown.asked?.digest) return refused;
  const changes = changesSince(shown, now).join('; ') || 'what the bank shows, or a setting';
  const command = `payouts ${decision} ${shortId(row.reference)}`;
  return `it has changed since it was shown (${visible(changes)}): nothing was decided; check again with \`${command}\``;
}
