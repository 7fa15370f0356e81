import type { FastifyInstance } from 'fastify';
import { BankError } from '../../bank/errors.ts';
import type { CashLine } from '../../domain/cash.ts';
import { compareDecimals, groupedAmount, sumDecimals } from '../../domain/money.ts';
import { type Html, html } from '../../reports/html.ts';
import { parsed } from '../http/documents.ts';
import { placeOf } from '../http/operation.ts';
import { CASH, type Cash } from '../http/operations/cash-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { accountsQuery, bankProblem, fromBank, userField, usersOf } from './accounts-page.ts';
import { type Bar, barChart } from './charts.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { type Column, dataTable, money, nothing } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

/** Accounts that get a chart, those that are short first; the others are in the table. */
const CHARTS_MAX = 6;

/** `/cash`: what each account holds, what open payouts take from it in a week, and where it is short. */
export function cashRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/cash', accessOf(placeAccess('/accounts')), async (request, reply) => {
    const { caller } = request;
    const { uid } = parsed(accountsQuery, request.query);
    const users = await usersOf(gateway, caller);
    const found = await fromBank(request, () => CASH.run(placeOf(gateway, caller), { uid }));
    const body = html`<h1>Cash</h1>
<form class="filters" method="get">${userField(users, uid, 'all with open payouts')}<button>Show</button></form>
${found instanceof BankError ? bankProblem(found) : cashBody(found)}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Cash', body });
  });
}

function cashBody({ accounts, days, notQuoted, isPart }: Cash): Html {
  if (accounts.length === 0) return nothing('No open payout takes money from an account.');
  const short = accounts.filter((line) => line.short !== null);
  const busy = [...short, ...accounts.filter((line) => line.short === null && taken(line) !== '0')].slice(
    0,
    CHARTS_MAX,
  );
  return html`${short.map(({ accountId, currency, short: lack }) => lack !== null && html`<p class="problem">Account ${accountId} is short of ${money(lack.amount, currency)} on ${lack.date}.</p>`)}
<div class="wide">${dataTable('Today and the next seven days', columnsOf(accounts), accounts)}</div>
<p>Fees are not included. An order at the bank may have taken its money off the balance already.</p>
${notQuoted.map((it) => html`<p>Not included: ${money(it.amount, it.currency)} from ${it.accountId}, which the bank does not quote now.</p>`)}
${isPart && html`<p class="attend">There are more open payouts than were added up.</p>`}
<div class="charts">${busy.map((line) => chartOf(line, days))}</div>`;
}

const taken = ({ waiting, due }: CashLine): string => {
  const sum = sumDecimals([waiting, ...due.map(({ amount }) => amount)]);
  return compareDecimals(sum, '0') === 0 ? '0' : sum;
};

const amount = (text: string, currency: string): Html | false => /[1-9]/.test(text) && money(text, currency);

const COLUMNS: readonly Column<CashLine>[] = [
  { head: 'Account', cell: ({ accountId }) => accountId },
  { head: 'User', cell: ({ uid }) => uid },
  { head: 'Available', isFigure: true, cell: ({ balance, currency }) => money(balance, currency) },
  { head: 'At the bank', isFigure: true, cell: ({ atBank, currency }) => amount(atBank, currency) },
  { head: 'Today', isFigure: true, cell: ({ waiting, currency }) => amount(waiting, currency) },
  {
    head: 'In seven days',
    isFigure: true,
    cell: ({ due, currency }) => amount(sumDecimals(due.map((day) => day.amount)), currency),
  },
  { head: 'After', isFigure: true, cell: ({ after, currency }) => money(after, currency) },
  { head: 'Later', isFigure: true, cell: ({ later, currency }) => amount(later, currency) },
];

/** Without those in which no account has anything. */
const columnsOf = (accounts: readonly CashLine[]): readonly Column<CashLine>[] =>
  COLUMNS.filter(({ cell }) => accounts.some((line) => cell(line) !== false));

/** What is taken on each day; marked from the day on which the money does not suffice. */
function chartOf({ accountId, currency, waiting, due, short }: CashLine, days: readonly string[]): Html {
  const byDay = new Map([[days[0] ?? '', waiting], ...due.map((day): [string, string] => [day.date, day.amount])]);
  const values = days.map((date) => byDay.get(date) ?? '0');
  const highest = values.reduce((most, value) => (compareDecimals(value, most) === 1 ? value : most), '0');
  const bars = days.map((date, n): Bar => {
    const value = values[n] ?? '0';
    const isShort = short !== null && date >= short.date;
    const text = `${date}: ${groupedAmount(value)} ${currency}${isShort ? ', the money does not suffice' : ''}`;
    return { label: date.slice('YYYY-'.length), value, text, ...(isShort && { marked: value }) };
  });
  return barChart(`Taken from ${accountId}, ${currency}`, bars, highest);
}
