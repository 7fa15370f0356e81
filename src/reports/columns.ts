import { groupedAmount, incidentsText, minuteOf, returnedText } from './display.ts';
import type { ReportedPayout } from './report-document.ts';

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

const column = (name: string, meaning: string, of: Column['of'], page?: OnPage): Column => ({
  name,
  meaning,
  of,
  page,
});

const date = (name: string, label: string, meaning: string, of: (payout: ReportedPayout) => string | null): Column => ({
  name,
  meaning,
  of,
  page: { under: 'Dates (UTC)', label, text: (payout) => minute(of(payout)) },
});

/** The table from which CSV and page are made, and which names the members of the JSON. */
export const COLUMNS: readonly Column[] = [
  column('row', 'Data row of the file, from 1', ({ row }) => row, { under: 'Document', label: 'row' }),
  column('id', 'Document number of the row', ({ id }) => id, { under: 'Document', as: 'name' }),
  column('uid', 'User at the bank who pays', ({ uid }) => uid, { under: 'Document', label: 'user' }),
  column(
    'payee_name',
    'Payee as named in the row; if the row has only an id, as last shown by the bank',
    ({ payee }) => payee.name,
    { under: 'Payee', as: 'name' },
  ),
  column(
    'payee_account',
    'Account of the payee, always masked; empty if the row has only an id',
    ({ payee }) => payee.account,
    { under: 'Payee', as: 'code' },
  ),
  column('payee_beneficiary_id', 'Id of the payee at the bank, if the row has it', ({ payee }) => payee.beneficiaryId, {
    under: 'Payee',
    as: 'code',
  }),
  column('account_id', 'Account named in the row', ({ accountId }) => accountId, {
    under: 'Paid from',
    as: 'code',
    text: ({ accountId, payingAccountId }) => (payingAccountId === null ? accountId : null),
  }),
  column(
    'paying_account_id',
    'The paying account: after an exchange the one in the payout currency; empty until known',
    ({ payingAccountId }) => payingAccountId,
    { under: 'Paid from', as: 'code' },
  ),
  column('amount', 'Amount of the payout', ({ amount }) => amount, {
    under: 'Amount',
    as: 'figure',
    text: ({ amount, currency }) => money(amount, currency),
  }),
  column('currency', 'Its currency', ({ currency }) => currency),
  column('fee', 'Booked fee of the payment; empty until known', ({ fee }) => fee, {
    under: 'Amount',
    label: 'fee',
    text: ({ fee, feeCurrency }) => money(fee, feeCurrency),
  }),
  column('fee_currency', 'Its currency', ({ feeCurrency }) => feeCurrency),
  column(
    'exchange_sold_amount',
    'Amount sold by the exchange before the payment; empty until booked',
    ({ exchange }) => exchange?.soldAmount ?? null,
    {
      under: 'Amount',
      label: 'sold',
      text: ({ exchange }) => exchange && (money(exchange.soldAmount, exchange.soldCurrency) ?? 'not booked yet'),
    },
  ),
  column('exchange_sold_currency', 'Its currency', ({ exchange }) => exchange?.soldCurrency ?? null),
  column(
    'exchange_bought_amount',
    'Amount bought: the payout, and its fee if that is in the same currency; the requested amount until booked',
    ({ exchange }) => exchange?.boughtAmount ?? null,
    {
      under: 'Amount',
      label: 'bought',
      text: ({ exchange }) => exchange && money(exchange.boughtAmount, exchange.boughtCurrency),
    },
  ),
  column('exchange_bought_currency', 'Its currency', ({ exchange }) => exchange?.boughtCurrency ?? null),
  column(
    'exchange_rate',
    'Rate of the booked exchange, as shown by the bank',
    ({ exchange }) => exchange?.rate ?? null,
    { under: 'Amount', label: 'rate' },
  ),
  column(
    'exchange_quoted_amount',
    'Amount that the quote would have sold, in the currency sold',
    ({ exchange }) => exchange?.quotedAmount ?? null,
    {
      under: 'Amount',
      label: 'quoted',
      text: ({ exchange }) => exchange && money(exchange.quotedAmount, exchange.soldCurrency),
    },
  ),
  column('exchange_fee', 'Booked fee of the exchange', ({ exchange }) => exchange?.fee ?? null, {
    under: 'Amount',
    label: 'exchange fee',
    text: ({ exchange }) => money(exchange?.fee, exchange?.feeCurrency),
  }),
  column('exchange_fee_currency', 'Its currency', ({ exchange }) => exchange?.feeCurrency ?? null),
  column('exchange_account_id', 'Account it sold from', ({ exchange }) => exchange?.accountId ?? null, {
    under: 'Paid from',
    label: 'exchange from',
    as: 'code',
  }),
  column('exchange_bought_to', 'Account it bought into', ({ exchange }) => exchange?.boughtTo ?? null),
  column('exchange_order_id', 'Order of the exchange at the bank', ({ exchange }) => exchange?.orderId ?? null, {
    under: 'Order',
    label: 'exchange',
    as: 'code',
  }),
  date('handed_over_at', 'taken', 'When the row was submitted', ({ handedOverAt }) => handedOverAt),
  column('execute_on', 'Execution date requested by the row', ({ executeOn }) => executeOn, {
    under: 'Dates (UTC)',
    label: 'due',
  }),
  column('maker', 'Person who submitted the payout', ({ maker }) => maker, { under: 'People', label: 'maker' }),
  column(
    'approved_by',
    'People who approved the payout; approvals of its order at the bank are marked',
    approversText,
    {
      under: 'People',
      label: 'approved',
    },
  ),
  column('approved_at', 'Time of the last approval', ({ approvals }) => approvals.at(-1)?.at ?? null, {
    under: 'Dates (UTC)',
    label: 'approved',
    text: ({ approvals }) => minute(approvals.at(-1)?.at ?? null),
  }),
  date('submitted_at', 'submitted', 'When its payment was first sent to the bank', ({ submittedAt }) => submittedAt),
  date('settled_at', 'settled', 'When the bank first showed it as paid', ({ settledAt }) => settledAt),
  column('ended_at', 'When it ended, paid or not', ({ endedAt }) => endedAt, {
    under: 'Dates (UTC)',
    label: 'ended',
    text: ({ endedAt, settledAt }) => (settledAt === null ? minute(endedAt) : null),
  }),
  column('state', 'Its state', ({ state }) => state, { under: 'State', as: 'badge' }),
  column(
    'reason_code',
    'Why it waits, or ended unpaid; `payouts explain CODE` explains it',
    ({ reason }) => reason?.code ?? null,
  ),
  column('reason_message', 'The same in words', ({ reason }) => reason?.message ?? null, {
    under: 'State',
    text: ({ reason, open }) => (reason === null ? (open?.why ?? null) : `${reason.message} [${reason.code}]`),
  }),
  column('open_why', 'What an open row waits for', ({ open }) => open?.why ?? null),
  column('open_who', 'Who may act on it', ({ open }) => open?.who ?? null, { under: 'State', label: 'who acts:' }),
  column('open_until', 'When the wait ends automatically', ({ open }) => open?.until ?? null, {
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
  column('order_id', 'Order of the payment at the bank', ({ orderId }) => orderId, {
    under: 'Order',
    label: 'order',
    as: 'code',
  }),
  column('reference', 'Reference of the payout: the `client_order_id` at the bank', ({ reference }) => reference, {
    under: 'Order',
    label: 'reference',
    as: 'link',
  }),
  column('workflow_id', 'Its workflow in Temporal', ({ workflowId }) => workflowId),
  column('url', 'Its page in the Temporal UI', ({ url }) => url),
];

/** `bob; carol (at the bank)` */
function approversText({ approvals }: ReportedPayout): string | null {
  return approvals.map(({ by, where }) => (where === 'at-bank' ? `${by} (at the bank)` : by)).join('; ') || null;
}
