import { CLOSE_PERIOD, PERIOD, PERIOD_DOCUMENT, PERIODS } from '../channels/http/operations/period-operations.ts';
import { counted } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import { LINES } from '../domain/statements/period.ts';
import {
  LINE_TEXTS,
  missingTexts,
  type PeriodAccount,
  type PeriodDocumentHead,
  type PeriodReport,
  periodCsv,
} from '../reports/statements/period-report.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';
import { nameOf } from './signer.ts';

/** `payouts period [PERIOD]`: exit 5 if something is unexplained or a closed period was reopened. */
export async function showPeriod(
  session: Session,
  period: string | undefined,
  { format }: { format?: 'csv' },
): Promise<ExitCode> {
  const found = await session.ask(PERIOD, { period: period ?? 'yesterday' });
  if (format === 'csv') process.stdout.write(periodCsv(found));
  else session.output.result(found, periodText(found));
  const isOpenAgain = found.documents[0]?.reopenedAt != null;
  return isOpenAgain || found.accounts.some(isUnexplained) ? EXIT.exceptions : EXIT.completed;
}

const isUnexplained = ({ lines }: PeriodAccount): boolean =>
  /[1-9]/.test(lines.unexplainedIn) || /[1-9]/.test(lines.unexplainedOut);

function periodText(found: PeriodReport): string {
  const { from, to, timeZone, accounts, missing, documents } = found;
  const days = from === to ? from : `${from} to ${to}`;
  return [
    `${days} (${timeZone})`,
    ...(accounts.length === 0 ? ['No payout was submitted, and no statement was taken of these days.'] : []),
    ...accounts.map((it) => accountText(it, accounts)),
    ...missingTexts(missing).map((text) => `${text}\n${TAKE}`),
    ...(documents.length === 0 ? [] : [documents.map(documentText).join('\n')]),
  ].join('\n\n');
}

const TAKE = 'Take a statement: payouts statement FILE\nIf the bank sends no files: payouts statement --orders UID';

function accountText(it: PeriodAccount, all: readonly PeriodAccount[]): string {
  const { uid, accountId, currency, books, instructed, opening, closing, lines } = it;
  const isElsewhere = books === 'none' && all.some((other) => other.accountId === accountId && other.books !== 'none');
  const source = isElsewhere ? 'paid by exchange' : SOURCES[books];
  const head = `${uid}  ${accountId}  ${currency}  ${source}`;
  const booked = LINES.filter((line) => /[1-9]/.test(lines[line])).map((line) => [LINE_TEXTS[line], lines[line]]);
  if (booked.length + instructed.count === 0) return `${head}\n  no booking  ${groupedAmount(closing ?? '')}`;
  const rows = [
    ...(instructed.count > 0 ? [[`instructed (${counted(instructed.count, 'payout')})`, instructed.amount]] : []),
    ...(opening === null ? [] : [['opening balance', opening]]),
    ...booked,
    ...(closing === null ? [] : [['closing balance', closing]]),
  ].map(([name = '', amount = '']): [string, string] => [name, groupedAmount(amount)]);
  const [names, amounts] = [0, 1].map((n) => Math.max(0, ...rows.map((row) => row[n]?.length ?? 0)));
  return [head, ...rows.map(([name, amount]) => `  ${name.padEnd(names ?? 0)}  ${amount.padStart(amounts ?? 0)}`)].join(
    '\n',
  );
}

const SOURCES = { statement: 'by its statements', orders: 'by the order list', none: 'no statement' } as const;

function documentText({
  period,
  version,
  closedAt,
  closedBy,
  digest,
  supersedes,
  reopenedAt,
  reopenedWhy,
}: PeriodDocumentHead) {
  return [
    `${period} version ${version}, closed ${closedAt} by ${closedBy}`,
    `  ${digest}`,
    ...(supersedes === null ? [] : ['  supersedes', `  ${supersedes}`]),
    ...(reopenedAt === null ? [] : [`  reopened ${reopenedAt}: ${reopenedWhy}`]),
  ].join('\n');
}

/** `payouts period close PERIOD`. */
export async function closePeriod(session: Session, period: string, { by }: { by?: string }): Promise<void> {
  const name = session.gateway === undefined ? nameOf(by) : by;
  const { document, isNew } = await session.ask(CLOSE_PERIOD, { period, by: name });
  const head = isNew ? 'Closed.' : 'It is closed already, and says the same.';
  session.output.result({ document, isNew }, `${head}\n${documentText(document)}`);
}

/** `payouts period list`. */
export async function listPeriods(session: Session): Promise<void> {
  const { documents } = await session.ask(PERIODS, {});
  const none = 'No period is closed: payouts period close 2026-03-31';
  session.output.result({ documents }, documents.length === 0 ? none : documents.map(documentText).join('\n'));
}

/** `payouts period document DIGEST`. */
export async function periodDocument(session: Session, digest: string): Promise<void> {
  for await (const text of await session.pieces(PERIOD_DOCUMENT, { digest })) process.stdout.write(text);
}
