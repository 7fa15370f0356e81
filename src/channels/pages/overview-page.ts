import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { counted, type Tone, toneOf } from '../../domain/display.ts';
import { addDecimals, compareDecimals, groupedAmount, unsigned } from '../../domain/money.ts';
import { laterDay } from '../../domain/time.ts';
import { type Html, html } from '../../reports/html.ts';
import type { Movements } from '../../reports/report-document.ts';
import type { OpenCount, PaidAmount } from '../../store/store.ts';
import { parsed } from '../http/documents.ts';
import { payoutsSeenBy } from '../http/may-see.ts';
import { placeOf } from '../http/operation.ts';
import { TOTALS, type Totals } from '../http/operations/list-operations.ts';
import { accessOf } from '../http/route-access.ts';
import { type Bar, barChart } from './charts.ts';
import { placeAccess, show, viewOf } from './layout.ts';
import { type Column, dataTable, money, nothing } from './pieces.ts';
import { dayOf, startOf } from './reader.ts';
import type { PagesGateway } from './sessions.ts';

/** Days of the chart, with today. */
const DAYS = 30;
/** Amounts that are added up for a chart; more would make the page slow. */
const ADDED_MAX = 200_000;
/** Currencies that get a chart; the others are in the table. */
const CHARTS_MAX = 4;

const day = z.iso.date();
const periodQuery = z.object({ from: day.optional(), to: day.optional() });

/** `/overview`: what went out in a period and what it cost, what was spent on each day, and how old is what is open. */
export function overviewRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { store } = gateway;
  app.get('/overview', accessOf(placeAccess('/overview')), async (request, reply) => {
    const { caller } = request;
    const now = gateway.now();
    const today = dayOf(now);
    const { from = today, to = today } = parsed(periodQuery, request.query);
    const period = { endedFrom: startOf(from), endedBefore: startOf(laterDay(to, 1)) };
    const seenBy = payoutsSeenBy(caller);
    const all = await TOTALS.run(placeOf(gateway, caller), period);
    // Many that ended unpaid must not displace those that were paid.
    const { totals } = all.totals.isCut
      ? await TOTALS.run(placeOf(gateway, caller), { ...period, states: ['completed'] })
      : all;
    const first = laterDay(today, 1 - DAYS);
    const paid = await store.paidAmounts(
      { from: startOf(first), before: startOf(laterDay(today, 1)), seenBy },
      ADDED_MAX,
    );
    const open = await store.openCounts(
      AGES.map((age) => now - age),
      seenBy,
    );
    const body = html`<h1>Overview</h1>
${periodForm(from, to)}
${periodLinks(today)}
<h2>${from === to ? (from === today ? 'What went out today' : `What went out on ${from}`) : `What went out from ${from} to ${to}`}</h2>
${movedTable(totals, all.totals.isCut)}
<p><a href="/payouts?${new URLSearchParams({ endedFrom: from, endedTo: to }).toString()}">Show these payouts</a></p>
<h2>Spent on each day</h2>
${spent(paid, first)}
<h2>Open payouts by age</h2>
${openByAge(open)}`;
    return show(reply, viewOf(request, reply, gateway), { title: 'Overview', body });
  });
}

const periodForm = (from: string, to: string): Html => html`<form class="filters" method="get">
<label>From <input type="date" name="from" value="${from}" required></label>
<label>To <input type="date" name="to" value="${to}" required></label>
<button>Show</button></form>`;

function periodLinks(today: string): Html {
  const yesterday = laterDay(today, -1);
  const periods: readonly [name: string, from: string, to: string][] = [
    ['Today', today, today],
    ['Yesterday', yesterday, yesterday],
    ['Last 7 days', laterDay(today, -6), today],
    ['This month', `${today.slice(0, 8)}01`, today],
  ];
  return html`<p class="choices">${periods.map(
    ([name, from, to]) => html`<a href="/overview?from=${from}&amp;to=${to}">${name}</a> `,
  )}</p>`;
}

const isSomething = (amount: string): boolean => /[1-9]/.test(amount);
const sum =
  (of: 'completed' | 'fees' | 'sold' | 'bought' | 'returned') =>
  (row: Movements): Html | false =>
    isSomething(row[of]) && money(row[of], row.currency);

/** Returned by payouts that ended in the period, whenever it came back. */
function stayed({ completed, returned, currency }: Movements): Html | false {
  return isSomething(returned) && money(addDecimals(completed, `-${unsigned(returned)}`), currency);
}

const MOVED: readonly [Column<Movements>, ...Column<Movements>[]] = [
  { head: 'Currency', cell: ({ currency }) => currency },
  { head: 'Paid', isFigure: true, cell: sum('completed') },
  { head: 'Fees', isFigure: true, cell: sum('fees') },
  { head: 'Sold', isFigure: true, cell: sum('sold') },
  { head: 'Bought', isFigure: true, cell: sum('bought') },
  { head: 'Returned', isFigure: true, cell: sum('returned') },
  { head: 'Paid less returned', isFigure: true, cell: stayed },
];

function movedTable({ payouts, isCut, currencies }: Totals['totals'], isPaidOnly: boolean): Html {
  if (payouts === 0 && !isPaidOnly) return nothing('Nothing ended in this period.');
  const count = isCut
    ? `The newest ${counted(payouts, 'payout')} that were paid, and there are more: choose a shorter period`
    : isPaidOnly
      ? `More payouts ended than are added up here: these are the ${groupedAmount(payouts)} that were paid`
      : `${counted(payouts, 'payout')} ended`;
  const [currency, ...sums] = MOVED;
  const moved = currencies.filter((row) => sums.some(({ cell }) => cell(row) !== false));
  const columns = [currency, ...sums.filter(({ cell }) => moved.some((row) => cell(row) !== false))];
  return html`<p>${count}.</p>
${moved.length === 0 ? nothing('No money moved in this period.') : dataTable('By currency', columns, moved)}`;
}

interface Spent {
  currency: string;
  payouts: number;
  /** Decimal by day; a day without payments is missing. */
  byDay: Map<string, string>;
}

/** What was paid in each currency on each day of the reader's, the currency with the most payouts first. */
function spentByDay(paid: readonly PaidAmount[]): Spent[] {
  const found = new Map<string, Spent>();
  // Ascending, so that a day is computed once for all its payments.
  let [shown, until] = ['', 0];
  for (const { endedAt, currency, amount } of paid) {
    if (endedAt >= until) {
      shown = dayOf(endedAt);
      until = startOf(laterDay(shown, 1));
    }
    const sums = found.get(currency) ?? { currency, payouts: 0, byDay: new Map() };
    found.set(currency, sums);
    sums.payouts += 1;
    sums.byDay.set(shown, addDecimals(sums.byDay.get(shown) ?? '0', amount));
  }
  return [...found.values()].sort((a, b) => b.payouts - a.payouts);
}

function spent(paid: readonly PaidAmount[], first: string): Html {
  const sums = spentByDay(paid);
  if (sums.length === 0) return nothing(`Nothing was paid in the last ${DAYS} days.`);
  const days = Array.from({ length: DAYS }, (_, n) => laterDay(first, n));
  const rows = days.flatMap((date) =>
    sums.flatMap(({ currency, byDay }) => {
      const amount = byDay.get(date);
      return amount === undefined ? [] : [{ date, currency, amount }];
    }),
  );
  return html`<p class="quiet">What came back is taken off the day on which it was paid.</p>
<div class="charts">${sums.slice(0, CHARTS_MAX).map((it) => spentChart(it, days))}</div>
${paid.length === ADDED_MAX && html`<p class="attend">Only the first ${groupedAmount(ADDED_MAX)} payouts of these days are added up.</p>`}
<details><summary>In figures</summary>
${dataTable(`The last ${DAYS} days`, DAY_COLUMNS, rows.reverse())}</details>`;
}

const DAY_COLUMNS: readonly Column<{ date: string; currency: string; amount: string }>[] = [
  { head: 'Day', cell: ({ date }) => date },
  { head: 'Paid', isFigure: true, cell: ({ amount, currency }) => money(amount, currency) },
];

/** Every how many bars one is labelled. */
const LABELLED = 7;

function spentChart({ currency, byDay }: Spent, days: readonly string[]): Html {
  const highest = [...byDay.values()].reduce((most, it) => (compareDecimals(it, most) === 1 ? it : most), '0');
  const bars = days.map((date, n): Bar => {
    const value = byDay.get(date) ?? '0';
    const isLabelled = (days.length - 1 - n) % LABELLED === 0 && n > 0;
    return { label: isLabelled ? date.slice(5) : '', value, text: `${date}: ${groupedAmount(value)} ${currency}` };
  });
  return barChart(`${currency}, at most ${groupedAmount(highest)} on a day`, bars, highest);
}

const HOUR_MS = 3_600_000;
const AGES = [HOUR_MS, 24 * HOUR_MS, 72 * HOUR_MS, 168 * HOUR_MS, 720 * HOUR_MS];

const AGE_TEXTS = [
  ...['less than an hour ago', '1 to 24 hours ago', '1 to 3 days ago', '3 to 7 days ago', '7 to 30 days ago'],
  'more than 30 days ago',
];
const AGE_LABELS = ['1 h', '24 h', '3 d', '7 d', '30 d', 'older'];

function openByAge(counts: readonly OpenCount[]): Html {
  if (counts.length === 0) return nothing('Nothing is open.');
  const byAge = AGE_LABELS.map((_, n) => ({ n, rows: counts.filter(({ age }) => age === n) }));
  const total = (rows: readonly OpenCount[], tone?: Tone): number =>
    rows.reduce((sum, { state, count }) => sum + (tone === undefined || toneOf(state) === tone ? count : 0), 0);
  const highest = `${Math.max(...byAge.map(({ rows }) => total(rows)))}`;
  const bars = byAge.map(({ n, rows }): Bar => {
    const waiting = total(rows, 'attention');
    return {
      label: AGE_LABELS[n] ?? '',
      value: `${total(rows)}`,
      text: `${AGE_TEXTS[n] ?? ''}: ${counted(total(rows), 'payout')}, of which ${groupedAmount(waiting)} wait for people`,
      marked: `${waiting}`,
    };
  });
  const columns: readonly Column<(typeof byAge)[number]>[] = [
    { head: 'Submitted', cell: ({ n }) => AGE_TEXTS[n] },
    { head: 'Open', isFigure: true, cell: ({ rows }) => groupedAmount(total(rows)) },
    { head: 'Of these wait for people', isFigure: true, cell: ({ rows }) => groupedAmount(total(rows, 'attention')) },
  ];
  return html`<div class="charts">${barChart('Open payouts by the time since they were submitted; marked: those that wait for people', bars, highest)}
${dataTable(
  'In figures',
  columns,
  byAge.filter(({ rows }) => rows.length > 0),
)}</div>`;
}
