import { Problem } from '../domain/problem.ts';
import { someAtOnce } from '../domain/some-at-once.ts';
import { counted, groupedAmount, shortId } from '../reports/display.ts';
import { askedFacts, changesSince, flagTexts, paidFacts, questionText } from '../reports/question-facts.ts';
import { labelledLines, wrap } from '../reports/wrap.ts';
import { visible } from '../rules/finding.ts';
import { type QuestionDeps, type ShownQuestion, shownQuestion } from '../services/decisions/shown-question.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { Session } from './session.ts';

/** Payouts whose question is read at the same time. */
const AT_ONCE = 10;

/** `readsBank`: false where nothing is shown and nothing is signed. */
export async function questionDeps(session: Session, readsBank: boolean): Promise<QuestionDeps> {
  const bank = readsBank ? await session.bank(await session.stack()) : undefined;
  return { store: await session.store(), settings: session.config.settings, bank };
}

/** The question of each payout, in their order. */
export async function questionsOf(deps: QuestionDeps, payouts: readonly PayoutRecord[]): Promise<ShownQuestion[]> {
  const found = new Map<string, ShownQuestion>();
  await someAtOnce(payouts, AT_ONCE, async (row) => {
    found.set(row.reference, await shownQuestion(deps, row));
  });
  return payouts.flatMap(({ reference }) => found.get(reference) ?? []);
}

/** Why each of these cannot be approved now. Throws a `Problem` if none can. */
export function assertApprovable(questions: readonly ShownQuestion[]): void {
  const [first, ...others] = questions.filter(({ differs }) => differs !== undefined);
  if (first === undefined || others.length + 1 < questions.length) return;
  const what = others.length === 0 ? 'It cannot' : `None of ${counted(questions.length, 'payout')} can`;
  throw new Problem('conflict', 'asks-otherwise', `${what} be approved now: ${first.differs}.`, {
    hint: `Look again in a moment; \`payouts reject ${shortId(first.row.reference)} --remark TEXT\` still counts.`,
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
export async function sinceShown(
  deps: QuestionDeps,
  shown: ShownQuestion,
  { refused, row, decision }: { refused: string; row: PayoutRecord | undefined; decision: string },
): Promise<string> {
  if (row === undefined) return refused;
  const now = await shownQuestion(deps, row);
  if (now.asked === undefined) return `${refused}; it is ${row.state} now`;
  if (now.asked.digest === shown.asked?.digest) return refused;
  const changes = changesSince(shown, now).join('; ') || 'what the bank shows, or a setting';
  const command = `payouts ${decision} ${shortId(row.reference)}`;
  return `it has changed since it was shown (${visible(changes)}): nothing was decided; look again with \`${command}\``;
}
