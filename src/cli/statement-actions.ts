import { basename } from 'node:path';
import { CLOSE_PERIOD, PERIOD, PERIOD_DOCUMENT, PERIODS } from '../channels/http/operations/period-operations.ts';
import {
  DISCREPANCIES,
  MATCH,
  matchOf,
  STATEMENTS,
  TAKE_ORDERS,
} from '../channels/http/operations/statement-operations.ts';
import { counted, labelled, widthOf } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import { Problem } from '../domain/problem.ts';
import { LINES } from '../domain/statements/period.ts';
import { whyUnreadable } from '../files/input.ts';
import type { OrdersStatement } from '../reports/statements/orders-statement.ts';
import {
  LINE_TEXTS,
  missingTexts,
  type PeriodAccount,
  type PeriodDocumentHead,
  type PeriodReport,
  periodCsv,
} from '../reports/statements/period-report.ts';
import { type DiscrepancyDocument, discrepanciesCsv } from '../reports/statements/statement-report.ts';
import { type StatementTaking, type TakenStatement, takeStatements } from '../reports/statements/take-statement.ts';
import { confirm } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { formatFindings, table } from './output.ts';
import { send } from './run.ts';
import type { Session } from './session.ts';
import { nameOf, type SignedOptions, signerOf } from './signer.ts';

export interface StatementOptions {
  orders?: string;
  account?: string;
  all: boolean;
  format?: 'csv';
  by?: string;
}

/**
 * `payouts statement [FILE...]`: takes bank statements, or with `--orders UID` what the interface of the bank lists, and shows where
 * its books and ours differ. Exit 0 if they agree, 5 if they differ, 3 if a statement was refused.
 */
export async function statement(
  session: Session,
  files: readonly string[],
  options: StatementOptions,
): Promise<ExitCode> {
  const takings: StatementTaking[] = [];
  for (const file of files) takings.push(await take(session, file, options));
  const { orders: uid } = options;
  const listed = uid === undefined ? [] : (await session.ask(TAKE_ORDERS, { uid })).accounts;
  const { statements } = await session.ask(STATEMENTS, { accountId: options.account });
  const { discrepancies } = await session.ask(DISCREPANCIES, { accountId: options.account, all: options.all });
  const taken = takings.flatMap((it) => it.statements);
  if (options.format === 'csv') process.stdout.write(discrepanciesCsv(discrepancies));
  else {
    const parts = [
      ...taken.map(takenText),
      ...listed.map(listedText),
      ...(taken.length + listed.length > 0 ? [] : [statementsText(statements)]),
      // Without a statement nothing was compared.
      ...(statements.length + discrepancies.length > 0 ? [differencesText(discrepancies)] : []),
    ];
    session.output.result({ taken: takings, orders: listed, statements, discrepancies }, parts.join('\n\n'));
  }
  if (taken.some(({ outcome }) => outcome === 'refused')) return EXIT.invalidInput;
  return discrepancies.some(({ isOpen, kind }) => isOpen && kind !== 'unexplained-credit')
    ? EXIT.exceptions
    : EXIT.completed;
}

async function take(session: Session, file: string, { by }: StatementOptions): Promise<StatementTaking> {
  if (session.gateway !== undefined) {
    const query = new URLSearchParams({ file: basename(file), ...(by !== undefined && { by }) });
    return (await (await send(session, `/v1/statements?${query}`, file)).json()) as StatementTaking;
  }
  // Only a statement of an account that no payout was made from needs the bank.
  const ofUser = async (uid: string) => (await session.bank(await session.stack())).accounts.ofUser(uid);
  const bank = { accounts: { ofUser } };
  const app = { config: session.config, store: await session.store(), bank, now: Date.now };
  try {
    return await takeStatements(app, file, { by: nameOf(by) });
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new Problem(
      'usage',
      'file-unreadable',
      `${basename(file)} ${whyUnreadable(error as NodeJS.ErrnoException)}.`,
      {
        hint: 'Name the file of a bank statement.',
      },
    );
  }
}

function takenText(it: TakenStatement): string {
  const days = it.from === it.to ? it.from : `${it.from} to ${it.to}`;
  const what = `${it.format} ${it.number} of ${it.accountId ?? it.account}, ${days ?? 'no day'}`;
  const said = { taken: 'taken', known: 'taken before', refused: 'REFUSED' }[it.outcome];
  const balances = it.closing === null ? '' : `, balance ${groupedAmount(it.closing)} ${it.currency ?? ''}`;
  const head = `${said}: ${what}: ${counted(it.entries, 'booking')}${balances}`;
  return it.findings.length === 0 ? head : `${head}\n${formatFindings(it.findings)}`;
}

function listedText({ accountId, currency, orders, closing, difference }: OrdersStatement): string {
  const rest =
    difference === null
      ? ''
      : `; ${groupedAmount(difference)} ${currency} of it is explained by no order since the list was first taken`;
  return `taken: ${counted(orders, 'order')} of ${accountId}, balance ${groupedAmount(closing)} ${currency}${rest}`;
}

type Listed = Awaited<ReturnType<(typeof STATEMENTS)['run']>>['statements'];

function statementsText(statements: Listed): string {
  if (statements.length === 0) return 'No statement was taken yet: payouts statement FILE';
  const rows = statements.map((it) => [
    ...[it.accountId, it.fromDay === it.toDay ? it.toDay : `${it.fromDay} to ${it.toDay}`, it.format, it.number],
    ...[`${it.entries}`, it.closing === null ? '' : `${groupedAmount(it.closing)} ${it.currency}`],
  ]);
  return table(['account', 'days', 'format', 'number', 'bookings', 'balance'], rows);
}

function differencesText(discrepancies: readonly DiscrepancyDocument[]): string {
  const open = discrepancies.filter(({ isOpen }) => isOpen).length;
  const width = widthOf(process.stdout);
  const head =
    open === 0 ? 'The books agree.' : `${counted(open, 'difference')} between the books of the bank and ours:`;
  return [head, ...discrepancies.map((it) => differenceText(it, width))].join('\n\n');
}

function differenceText(it: DiscrepancyDocument, width: number): string {
  const layout = { indent: 2, labelWidth: 'the bank  '.length, width };
  const money = (value: DiscrepancyDocument['ours']): string =>
    value === null ? 'nothing' : `${groupedAmount(value.amount)} ${value.currency}`;
  const { payout, batchId, bookings, candidates } = it;
  const file = batchId === null ? '' : `, batch ${batchId}`;
  const whole = payout === null ? file : `, ${payout.documentId} (${payout.state}), ${payout.reference}`;
  const booked = bookings.map((booking) =>
    [
      booking.bookedOn,
      `${groupedAmount(booking.amount)} ${booking.currency}`,
      booking.text,
      booking.reason,
      booking.entry,
    ]
      .filter((part) => part !== null && part !== '')
      .join(', '),
  );
  const maybe = candidates.map(({ documentId, reference }) => `${documentId} ${reference}`);
  const [entry] = bookings;
  const isForPeople = payout === null && batchId === null && entry !== undefined && it.isOpen;
  return [
    `${it.day} ${it.accountId}: ${it.says}${it.isOpen ? '' : ' (explained since)'}`,
    ...labelled('ours', `${money(it.ours)}${whole}`, layout),
    ...labelled('the bank', `${money(it.booked)}${booked.length > 0 ? `; ${booked.join('; ')}` : ''}`, layout),
    ...(maybe.length > 0 ? labelled(batchId === null ? 'maybe' : 'missing?', maybe.join('; '), layout) : []),
    ...(it.incidentId === null ? [] : labelled('incident', it.incidentId, layout)),
    ...(isForPeople
      ? labelled('next', `payouts match ${entry.entry} REFERENCE`, {
          ...layout,
          width: Number.POSITIVE_INFINITY,
        })
      : []),
  ].join('\n');
}

/** `payouts match ENTRY [PAYOUT]`: a person says which payout a booking belongs to, or that it belongs to none, and why. */
export async function match(
  session: Session,
  entry: string,
  payout: string | undefined,
  { reason, yes, ...asker }: SignedOptions & { reason: string },
): Promise<void> {
  const signer = await signerOf(session, asker, 'resolve');
  await confirm(
    payout === undefined ? `Does ${entry} belong to no payout?` : `Does ${entry} belong to ${payout}?`,
    yes,
  );
  const signed = signer.sign?.(matchOf(entry, payout, reason));
  const answer = await session.ask(MATCH, { entry, payout, reason, by: signer.name, signed });
  const text = `${entry} belongs to ${answer.reference ?? 'no payout'}; ${counted(answer.discrepancies, 'difference')} left.`;
  session.output.result({ ...answer }, text);
}

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
