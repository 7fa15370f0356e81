import { counted, groupedAmount, shortId } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { Problem } from '../domain/problem.ts';
import { labelledLines, wrap } from '../domain/wrap.ts';
import type { ShownQuestion } from '../people/decisions/shown-question.ts';
import { askedFacts, changesSince, flagTexts, paidFacts, questionText } from '../reports/question-facts.ts';

/** Why each of these cannot be approved now. Throws a `Problem` if none can. */
export function assertApprovable(questions: readonly ShownQuestion[]): void {
  const [first, ...others] = questions.filter(({ differs }) => differs !== undefined);
  if (first === undefined || others.length + 1 < questions.length) return;
  const what = others.length === 0 ? 'It cannot' : `None of ${counted(questions.length, 'payout')} can`;
  throw new Problem('conflict', 'asks-otherwise', `${what} be approved now: ${first.differs}.`, {
    hint: `Look again in a moment; \`payouts reject ${shortId(first.row.reference)} --remark TEXT\` still counts.`,
  });
}

/**
 * A gateway chooses what it answers: each payout must be one that the given id means. Throws a `Problem` otherwise. What only the
 * bank knows, an order id, is believed if the payout is shown.
 */
export function assertMeant(questions: readonly ShownQuestion[], id: string, isShown: boolean): void {
  const isMeant = ({ row: { reference, workflowId, documentId, batchId, orderId } }: ShownQuestion): boolean =>
    id === 'latest' ||
    [reference, workflowId, documentId, ...(isShown ? [orderId] : [])].some((known) => known?.startsWith(id)) ||
    (UUID_BEGIN.test(id) && batchId?.startsWith(id) === true);
  if (questions.every(isMeant)) return;
  throw new Problem('conflict', 'another-payout', `The gateway answered about another payout than "${id}".`, {
    hint: 'Nothing was signed. Name a payout by its reference or document id; do not use this gateway if it answers so again.',
  });
}

const UUID_BEGIN = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/;

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
    ['Check', flagTexts(row).join(', ')] as const,
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
  return `it has changed since it was shown (${visible(changes)}): nothing was decided; look again with \`${command}\``;
}
