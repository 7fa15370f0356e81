import { minuteOf } from '../domain/display.ts';
import { groupedAmount } from '../domain/money.ts';
import type { ReportedPayout } from './report-document.ts';
import { incidentsText, returnedText } from './report-document.ts';

/** Columns of the page, in order; each shows several columns of the report. */
export const PAGE_COLUMNS = [
  'Document',
  'Payee',
  'Amount',
  'Paid from',
  'Dates (UTC)',
  'People',
  'State',
  'Order',
] as const;
export type PageColumn = (typeof PAGE_COLUMNS)[number];

type Value = string | number | null;

export interface Column {
  /** Name in the CSV. The JSON has the same path in camelCase: `exchange_sold_amount` is `exchange.soldAmount`. */
  name: string;
  meaning: string;
  of(payout: ReportedPayout): Value;
  /** Where the page shows it; absent: it is part of another column's text. */
  page?: OnPage;
}

interface OnPage {
  under: PageColumn;
  /** Precedes the value if the column's head does not explain it. */
  label?: string;
  /** The value for people; absent: unchanged. */
  text?(payout: ReportedPayout): string | null;
  as?: 'code' | 'badge' | 'warning' | 'link' | 'figure' | 'name';
}

const money = (amount: string | null | undefined, currency: string | null | undefined): string | null =>
  amount == null ? null : `${groupedAmount(amount)} ${currency ?? ''}`.trim();

const minute = (iso: string | null): string | null => iso && minuteOf(Date.parse(iso)).replace(' UTC', '');

type Parts = { [Name in 'payee' | 'exchange' | 'reason' | 'open']: NonNullable<ReportedPayout[Name]> };
type ValuesOf<Part> = { [Name in keyof Part & string]: Part[Name] extends Value ? Name : never }[keyof Part & string];
/** Of a value in the JSON of a payout. */
type Path = ValuesOf<ReportedPayout> | { [Name in keyof Parts]: `${Name}.${ValuesOf<Parts[Name]>}` }[keyof Parts];

const column = (name: string, meaning: string, of: Column['of'], page?: OnPage): Column => ({
  name,
  meaning,
  of,
  page,
});

/** The column of a value in the JSON, which names it. */
function valueAt(path: Path, meaning: string, page?: OnPage): Column {
  const [name = '', inner] = path.split('.');
  const named = path.replace('.', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const valueIn = (whole: unknown, member: string) => (whole as Record<string, Value> | null)?.[member] ?? null;
  const of: Column['of'] = (payout) =>
    inner === undefined ? valueIn(payout, name) : valueIn(valueIn(payout, name), inner);
  return column(named, meaning, of, page);
}

/** `label` precedes it on the page. */
const date = (path: Extract<Path, `${string}At`>, label: string, meaning: string): Column => {
  const made = valueAt(path, meaning);
  return { ...made, page: { under: 'Dates (UTC)', label, text: (payout) => minute(made.of(payout) as string | null) } };
};

/** The table from which CSV and page are made, and which names the members of the JSON. */
export const COLUMNS: readonly Column[] = [
  valueAt('row', 'Data row of the file, from 1', { under: 'Document', label: 'row' }),
  valueAt('id', 'Document number of the row', { under: 'Document', as: 'name' }),
  valueAt('uid', 'User at the bank who pays', { under: 'Document', label: 'user' }),
  valueAt('payee.name', 'Payee as named in the row; if the row has only an id, as last shown by the bank', {
    under: 'Payee',
    as: 'name',
  }),
  valueAt('payee.account', 'Account of the payee, always masked; empty if the row has only an id', {
    under: 'Payee',
    as: 'code',
  }),
  valueAt('payee.beneficiaryId', 'Id of the payee at the bank, if the row has it', { under: 'Payee', as: 'code' }),
  valueAt('accountId', 'Account named in the row', {
    under: 'Paid from',
    as: 'code',
    text: ({ accountId, payingAccountId }) => (payingAccountId === null ? accountId : null),
  }),
  valueAt(
    'payingAccountId',
    'The paying account: after an exchange the one in the payout currency; empty until known',
    { under: 'Paid from', as: 'code' },
  ),
  valueAt('amount', 'Amount of the payout; once it is completed, as the bank shows its order', {
    under: 'Amount',
    as: 'figure',
    text: ({ amount, currency }) => money(amount, currency),
  }),
  valueAt('currency', 'Its currency'),
  valueAt('fee', 'Booked fee of the payment; empty until known', {
    under: 'Amount',
    label: 'fee',
    text: ({ fee, feeCurrency }) => money(fee, feeCurrency),
  }),
  valueAt('feeCurrency', 'Its currency'),
  valueAt('exchange.soldAmount', 'Amount sold by the exchange before the payment; empty until booked', {
    under: 'Amount',
    label: 'sold',
    text: ({ exchange }) => exchange && (money(exchange.soldAmount, exchange.soldCurrency) ?? 'not booked yet'),
  }),
  valueAt('exchange.soldCurrency', 'Its currency'),
  valueAt(
    'exchange.boughtAmount',
    'Amount bought: the payout, and its fee if that is in the same currency; the requested amount until booked',
    {
      under: 'Amount',
      label: 'bought',
      text: ({ exchange }) => exchange && money(exchange.boughtAmount, exchange.boughtCurrency),
    },
  ),
  valueAt('exchange.boughtCurrency', 'Its currency'),
  valueAt('exchange.rate', 'Rate of the booked exchange, as shown by the bank', { under: 'Amount', label: 'rate' }),
  valueAt('exchange.quotedAmount', 'Amount that the quote would have sold, in the currency sold', {
    under: 'Amount',
    label: 'quoted',
    text: ({ exchange }) => exchange && money(exchange.quotedAmount, exchange.soldCurrency),
  }),
  valueAt('exchange.fee', 'Booked fee of the exchange', {
    under: 'Amount',
    label: 'exchange fee',
    text: ({ exchange }) => money(exchange?.fee, exchange?.feeCurrency),
  }),
  valueAt('exchange.feeCurrency', 'Its currency'),
  valueAt('exchange.accountId', 'Account it sold from', { under: 'Paid from', label: 'exchange from', as: 'code' }),
  valueAt('exchange.boughtTo', 'Account it bought into'),
  valueAt('exchange.orderId', 'Order of the exchange at the bank', { under: 'Order', label: 'exchange', as: 'code' }),
  date('handedOverAt', 'taken', 'When the row was submitted'),
  valueAt('executeOn', 'Execution date requested by the row', { under: 'Dates (UTC)', label: 'due' }),
  valueAt('maker', 'Person who submitted the payout', { under: 'People', label: 'maker' }),
  column(
    'approved_by',
    'People who approved the payout; approvals of its order at the bank are marked',
    approversText,
    { under: 'People', label: 'approved' },
  ),
  column('approved_at', 'Time of the last approval', ({ approvals }) => approvals.at(-1)?.at ?? null, {
    under: 'Dates (UTC)',
    label: 'approved',
    text: ({ approvals }) => minute(approvals.at(-1)?.at ?? null),
  }),
  date('submittedAt', 'submitted', 'When its payment was first sent to the bank'),
  date('settledAt', 'settled', 'When the bank first showed it as paid'),
  valueAt('endedAt', 'When it ended, paid or not', {
    under: 'Dates (UTC)',
    label: 'ended',
    text: ({ endedAt, settledAt }) => (settledAt === null ? minute(endedAt) : null),
  }),
  valueAt('state', 'Its state', { under: 'State', as: 'badge' }),
  valueAt('reason.code', 'Why it waits, or ended unpaid; `payouts explain CODE` explains it'),
  valueAt('reason.message', 'The same in words', {
    under: 'State',
    text: ({ reason, open }) => (reason === null ? (open?.why ?? null) : `${reason.message} [${reason.code}]`),
  }),
  valueAt('open.why', 'What an open row waits for'),
  valueAt('open.who', 'Who may act on it', { under: 'State', label: 'who acts:' }),
  valueAt('open.until', 'When the wait ends automatically', {
    under: 'State',
    label: 'until',
    text: ({ open }) => minute(open?.until ?? null),
  }),
  column('returned', 'Money that came back after it was paid', (payout) => returnedText(payout) || null, {
    under: 'State',
    as: 'warning',
    text: ({ returns }) =>
      returns.length === 0 ? null : `returned ${returns.map((it) => money(it.amount, it.currency)).join('; ')}`,
  }),
  column(
    'incidents',
    'Contradictions between the bank and its end; `payouts incidents` shows more',
    ({ incidents }) => incidentsText(incidents) || null,
    { under: 'State', as: 'warning' },
  ),
  valueAt('orderId', 'Order of the payment at the bank', { under: 'Order', label: 'order', as: 'code' }),
  valueAt('reference', 'Reference of the payout: the `client_order_id` at the bank', {
    under: 'Order',
    label: 'reference',
    as: 'link',
  }),
  valueAt('workflowId', 'Its workflow in Temporal'),
  valueAt('url', 'Its page in the Temporal UI'),
];

/** `bob; carol (at the bank)` */
function approversText({ approvals }: ReportedPayout): string | null {
  return approvals.map(({ by, where }) => (where === 'at-bank' ? `${by} (at the bank)` : by)).join('; ') || null;
}
