import { groupedAmount, incidentsText, minuteOf, returnedText } from './display.ts';
import type { ReportedPayout } from './reported-payout.ts';

/** Columns of the page, in their order; each holds what several columns of the report say. */
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

/** A column of the report. */
export interface Column {
  /** Of the CSV. In the JSON it is the same path in camelCase: `exchange_sold_amount` is `exchange.soldAmount`. */
  name: string;
  meaning: string;
  of(payout: ReportedPayout): Value;
  /** Where the page shows it; absent: it stands in the text of another column. */
  page?: OnPage;
}

interface OnPage {
  under: PageColumn;
  /** Before it, where the head of the column does not say what it is. */
  label?: string;
  /** As people read it; absent: as it is. */
  text?(payout: ReportedPayout): string | null;
  as?: 'code' | 'badge' | 'warning' | 'link' | 'figure' | 'name';
}

const money = (amount: string | null | undefined, currency: string | null | undefined): string | null =>
  amount == null ? null : `${groupedAmount(amount)} ${currency ?? ''}`.trim();

const minute = (iso: string | null): string | null => iso && minuteOf(Date.parse(iso)).replace(' UTC', '');

const date = (name: string, label: string, meaning: string, of: (payout: ReportedPayout) => string | null): Column => ({
  name,
  meaning,
  of,
  page: { under: 'Dates (UTC)', label, text: (payout) => minute(of(payout)) },
});

/** The one table that CSV and page are made of, and that names what stands in the JSON. */
export const COLUMNS: readonly Column[] = [
  {
    name: 'row',
    meaning: 'Data row of the file, from 1',
    of: ({ row }) => row,
    page: { under: 'Document', label: 'row' },
  },
  {
    name: 'id',
    meaning: 'Document number of the row',
    of: ({ id }) => id,
    page: { under: 'Document', as: 'name' },
  },
  {
    name: 'uid',
    meaning: 'User at the bank whose money it is',
    of: ({ uid }) => uid,
    page: { under: 'Document', label: 'user' },
  },
  {
    name: 'payee_name',
    meaning: 'Payee as the row names it; where it gives an id only, as the bank showed it last',
    of: ({ payee }) => payee.name,
    page: { under: 'Payee', as: 'name' },
  },
  {
    name: 'payee_account',
    meaning: 'Account of the payee, always masked; empty where the row gives an id only',
    of: ({ payee }) => payee.account,
    page: { under: 'Payee', as: 'code' },
  },
  {
    name: 'payee_beneficiary_id',
    meaning: 'Id of the payee at the bank, where the row gives it',
    of: ({ payee }) => payee.beneficiaryId,
    page: { under: 'Payee', as: 'code' },
  },
  {
    name: 'account_id',
    meaning: 'Account that the row names',
    of: ({ accountId }) => accountId,
    page: {
      under: 'Paid from',
      as: 'code',
      text: ({ accountId, payingAccountId }) => (payingAccountId === null ? accountId : null),
    },
  },
  {
    name: 'paying_account_id',
    meaning: 'Account that pays: after an exchange the one in the currency of the payout; empty while it is not known',
    of: ({ payingAccountId }) => payingAccountId,
    page: { under: 'Paid from', as: 'code' },
  },
  {
    name: 'amount',
    meaning: 'Amount of the payout',
    of: ({ amount }) => amount,
    page: { under: 'Amount', as: 'figure', text: ({ amount, currency }) => money(amount, currency) },
  },
  { name: 'currency', meaning: 'Its currency', of: ({ currency }) => currency },
  {
    name: 'fee',
    meaning: 'Booked fee of the payment; empty until it is known',
    of: ({ fee }) => fee,
    page: { under: 'Amount', label: 'fee', text: ({ fee, feeCurrency }) => money(fee, feeCurrency) },
  },
  { name: 'fee_currency', meaning: 'Its currency', of: ({ feeCurrency }) => feeCurrency },
  {
    name: 'exchange_sold_amount',
    meaning: 'What the exchange before the payment sold; empty until it is booked',
    of: ({ exchange }) => exchange?.soldAmount ?? null,
    page: {
      under: 'Amount',
      label: 'sold',
      text: ({ exchange }) => exchange && (money(exchange.soldAmount, exchange.soldCurrency) ?? 'not booked yet'),
    },
  },
  {
    name: 'exchange_sold_currency',
    meaning: 'Its currency',
    of: ({ exchange }) => exchange?.soldCurrency ?? null,
  },
  {
    name: 'exchange_bought_amount',
    meaning:
      'What it bought: the payout, and its fee where that is in the same currency; what is asked for until it is booked',
    of: ({ exchange }) => exchange?.boughtAmount ?? null,
    page: {
      under: 'Amount',
      label: 'bought',
      text: ({ exchange }) => exchange && money(exchange.boughtAmount, exchange.boughtCurrency),
    },
  },
  {
    name: 'exchange_bought_currency',
    meaning: 'Its currency',
    of: ({ exchange }) => exchange?.boughtCurrency ?? null,
  },
  {
    name: 'exchange_rate',
    meaning: 'Rate of the booked exchange, as the bank writes it',
    of: ({ exchange }) => exchange?.rate ?? null,
    page: { under: 'Amount', label: 'rate' },
  },
  {
    name: 'exchange_quoted_amount',
    meaning: 'What would have been sold at the quote it was sent with, in the currency sold',
    of: ({ exchange }) => exchange?.quotedAmount ?? null,
    page: {
      under: 'Amount',
      label: 'quoted',
      text: ({ exchange }) => exchange && money(exchange.quotedAmount, exchange.soldCurrency),
    },
  },
  {
    name: 'exchange_fee',
    meaning: 'Booked fee of the exchange',
    of: ({ exchange }) => exchange?.fee ?? null,
    page: {
      under: 'Amount',
      label: 'exchange fee',
      text: ({ exchange }) => money(exchange?.fee, exchange?.feeCurrency),
    },
  },
  { name: 'exchange_fee_currency', meaning: 'Its currency', of: ({ exchange }) => exchange?.feeCurrency ?? null },
  {
    name: 'exchange_account_id',
    meaning: 'Account it sold from',
    of: ({ exchange }) => exchange?.accountId ?? null,
    page: { under: 'Paid from', label: 'exchange from', as: 'code' },
  },
  {
    name: 'exchange_bought_to',
    meaning: 'Account it bought into',
    of: ({ exchange }) => exchange?.boughtTo ?? null,
  },
  {
    name: 'exchange_order_id',
    meaning: 'Order of the exchange at the bank',
    of: ({ exchange }) => exchange?.orderId ?? null,
    page: { under: 'Order', label: 'exchange', as: 'code' },
  },
  date('handed_over_at', 'handed over', 'When the row was taken', ({ handedOverAt }) => handedOverAt),
  {
    name: 'execute_on',
    meaning: 'Date that the row asks for',
    of: ({ executeOn }) => executeOn,
    page: { under: 'Dates (UTC)', label: 'due' },
  },
  date('submitted_at', 'submitted', 'When its payment was first sent to the bank', ({ submittedAt }) => submittedAt),
  date('settled_at', 'settled', 'When the bank was seen to have paid it', ({ settledAt }) => settledAt),
  {
    name: 'ended_at',
    meaning: 'When it ended, paid or not',
    of: ({ endedAt }) => endedAt,
    page: {
      under: 'Dates (UTC)',
      label: 'ended',
      text: ({ endedAt, settledAt }) => (settledAt === null ? minute(endedAt) : null),
    },
  },
  {
    name: 'maker',
    meaning: 'Who handed it over',
    of: ({ maker }) => maker,
    page: { under: 'People', label: 'maker' },
  },
  {
    name: 'approved_by',
    meaning: 'Who approved what was paid; who approved its order at the bank is marked',
    of: approversText,
    page: { under: 'People', label: 'approved' },
  },
  {
    name: 'approved_at',
    meaning: 'When the last of them did',
    of: ({ approvals }) => approvals.at(-1)?.at ?? null,
    page: { under: 'Dates (UTC)', label: 'approved', text: ({ approvals }) => minute(approvals.at(-1)?.at ?? null) },
  },
  {
    name: 'state',
    meaning: 'Where it stands',
    of: ({ state }) => state,
    page: { under: 'State', as: 'badge' },
  },
  {
    name: 'reason_code',
    meaning: 'Why it waits, or ended unpaid; `payouts explain CODE` says more',
    of: ({ reason }) => reason?.code ?? null,
  },
  {
    name: 'reason_message',
    meaning: 'The same in words',
    of: ({ reason }) => reason?.message ?? null,
    page: {
      under: 'State',
      text: ({ reason, open }) => (reason === null ? (open?.why ?? null) : `${reason.message} [${reason.code}]`),
    },
  },
  {
    name: 'open_why',
    meaning: 'Of a row without an end: what it waits for',
    of: ({ open }) => open?.why ?? null,
  },
  {
    name: 'open_who',
    meaning: 'Who may act on it',
    of: ({ open }) => open?.who ?? null,
    page: { under: 'State', label: 'acts:' },
  },
  {
    name: 'open_until',
    meaning: 'When the wait ends by itself',
    of: ({ open }) => open?.until ?? null,
    page: { under: 'State', label: 'until', text: ({ open }) => minute(open?.until ?? null) },
  },
  {
    name: 'returned',
    meaning: 'Money that came back after it was paid',
    of: (payout) => returnedText(payout) || null,
    page: {
      under: 'State',
      as: 'warning',
      text: ({ returns }) =>
        returns.length === 0 ? null : `returned ${returns.map((it) => money(it.amount, it.currency)).join('; ')}`,
    },
  },
  {
    name: 'incidents',
    meaning: 'What the bank shows against its end; `payouts incidents` says more',
    of: ({ incidents }) => incidentsText(incidents) || null,
    page: { under: 'State', as: 'warning' },
  },
  {
    name: 'order_id',
    meaning: 'Order of the payment at the bank',
    of: ({ orderId }) => orderId,
    page: { under: 'Order', as: 'code' },
  },
  {
    name: 'reference',
    meaning: 'Reference of the payout: the `client_order_id` at the bank',
    of: ({ reference }) => reference,
    page: { under: 'Order', as: 'link' },
  },
  { name: 'workflow_id', meaning: 'Its workflow in Temporal', of: ({ workflowId }) => workflowId },
  { name: 'url', meaning: 'Its page in the Temporal UI', of: ({ url }) => url },
];

/** `bob; carol (at the bank)` */
function approversText({ approvals }: ReportedPayout): string | null {
  return approvals.map(({ by, where }) => (where === 'at-bank' ? `${by} (at the bank)` : by)).join('; ') || null;
}
