import { mostSoldFor } from '../domain/agreed-cost.ts';
import { counted, minuteOf, peopleText, shortId, widthOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { addDecimals, groupedAmount } from '../domain/money.ts';
import type { AccountOutlook } from '../files/intake/costs.ts';
import type { Outlook } from '../files/intake/outlook.ts';
import type { MoveAsked, MoveOutlook } from '../files/intake/own-move.ts';
import type { ListedRow, Plan, StoreUse } from '../files/intake/plan.ts';
import { userHome } from '../platform/config/home.ts';
import { payeeInFull, payeeText } from '../reports/masked.ts';
import {
  alikesTexts,
  baseTexts,
  boundTexts,
  comparedTexts,
  elsewhereTexts,
  exchangeTexts,
  feesTexts,
  laterTexts,
  shortfallTexts,
} from '../reports/plan-texts.ts';
import type { PayoutRecord } from '../store/store.ts';
import { filledTable, shellWord, table } from './output.ts';

const LISTED_MAX = 5;

/** The plan as a person reads it before money moves. `earlier`: what rows of it look like; their payees are masked. */
export function planText(
  plan: Plan & { store?: StoreUse },
  outlook?: Outlook,
  earlier: readonly PayoutRecord[] = [],
): string {
  const { file, payouts, newBeneficiaries, retries, totals, hash } = plan;
  const payees = newBeneficiaries === 0 ? '' : `, ${number(newBeneficiaries)} to payees given by their details`;
  const again =
    retries === 0 ? '' : `, ${counted(retries, 'retry of an earlier payout', 'retries of earlier payouts')}`;
  const lines = totals.map(
    ({ currency, count, amount }) =>
      `  ${currency}  ${groupedAmount(amount).padStart(18)}  in ${counted(count, 'payout')}`,
  );
  return [
    `${visible(file)}: ${counted(payouts, 'payout')}${payees}${again}`,
    ...lines,
    ...datesText(plan),
    ...lookAlikesText(plan, earlier),
    ...elsewhereTexts(plan, ' (--allow-look-alikes pays them)').map(visible),
    ...alikesTexts(plan).map(visible),
    ...(outlook === undefined ? boundTexts(plan).map(visible) : outlookText(plan, outlook)),
    ...(plan.store === undefined ? [] : storeText(plan.store)),
    `plan ${hash}`,
  ].join('\n');
}

/** Which store of which bank; that a bank's is new is what to check, since it knows nothing of what was paid from another one. */
export function storeText({ place, bank, isNew, batches, lastUsedAt, otherHome }: StoreUse): string[] {
  const isBank = bank !== 'sandbox';
  const used = lastUsedAt === null ? '' : `, last used ${minuteOf(Date.parse(lastUsedAt))}`;
  const fresh = isBank ? 'NEW: it knows of no earlier payout' : 'new';
  return [
    `store: ${pathText(place)} (${bank}), ${isNew ? fresh : `${counted(batches, 'batch', 'batches')}${used}`}`,
    ...(otherHome === null
      ? []
      : [
          `  not used: the store of this bank in ${pathText(otherHome)}; with PAYOUTS_HOME=${shellWord(otherHome)} it is`,
        ]),
  ];
}

/** With `~` for the folder of the user. */
function pathText(path: string): string {
  const own = `${userHome()}/`;
  return path.startsWith(own) ? `~/${path.slice(own.length)}` : path;
}

const number = (count: number): string => groupedAmount(count);

function datesText({ executionDates }: Plan): string[] {
  if (executionDates.every(({ date }) => date === null)) return [];
  const shown = executionDates
    .slice(0, LISTED_MAX)
    .map(({ date, count }) => `${number(count)} ${date === null ? 'at once' : `on ${date}`}`);
  const more = executionDates.length > LISTED_MAX ? [counted(executionDates.length - LISTED_MAX, 'more date')] : [];
  return [`sent: ${[...shown, ...more].join(', ')}`];
}

function lookAlikesText({ lookAlikes: { count, rows } }: Plan, earlier: readonly PayoutRecord[]): string[] {
  if (count === 0) return [];
  const known = new Map(earlier.map((row) => [row.reference, ` (${earlierText(row)})`]));
  return [
    count === 1
      ? '1 payout looks like a recent one and will be held until somebody approves it (--allow-look-alikes pays it)'
      : `${number(count)} payouts look like recent ones and will be held until somebody approves them (--allow-look-alikes pays them)`,
    ...listedAlikes(rows).map(
      ({ row, id, like, days }) =>
        `  row ${row} ${visible(id)}: same payee, amount and currency as ${like}${known.get(like) ?? ''}, ${age(days)}`,
    ),
  ];
}

/** Look-alikes that the text names. */
export const listedAlikes = (rows: Plan['lookAlikes']['rows']): Plan['lookAlikes']['rows'] => rows.slice(0, LISTED_MAX);

/** Enough to see whether the same is meant. */
function earlierText(row: PayoutRecord): string {
  const { documentId, instruction, state, batchId } = row;
  const { amount, currency } = instruction;
  const batch = batchId === null ? '' : ` in batch ${shortId(batchId)}`;
  return `${visible(documentId)}${batch}: ${groupedAmount(amount)} ${currency} to ${payeeText(row)}, ${state}`;
}

const age = (days: number): string => (days === 0 ? 'today' : days === 1 ? 'a day ago' : `${days} days ago`);

function approvalsText({ beforeSend, atBank, moreByPayee }: Outlook['approvals']): string[] {
  return [
    ...(beforeSend.length === 0 ? [] : [`to be approved before sending: ${peopleText(beforeSend)}`]),
    ...(atBank.length === 0 ? [] : [`audited by the bank, to be approved then: ${peopleText(atBank)}`]),
    ...(moreByPayee === 0
      ? []
      : [`more approvals if the payee is new or has changed: ${counted(moreByPayee, 'payout')}`]),
  ];
}

function outlookText(plan: Plan, outlook: Outlook): string[] {
  const costs = [laterTexts, feesTexts, exchangeTexts, boundTexts, comparedTexts, shortfallTexts, baseTexts].flatMap(
    (texts) => texts({ ...plan, ...outlook }),
  );
  return [
    ...approvalsText(outlook.approvals),
    ...costs.map(visible),
    table(
      ['account', 'currency', 'balance', 'needs', 'after'],
      outlook.balances.map(accountCells),
      widthOf(process.stderr),
    ),
  ];
}

const LISTED_COLUMNS: [head: string, cell: (listed: ListedRow) => string][] = [
  ['document', ({ instruction }) => instruction.id],
  ['amount', ({ instruction: { amount, currency } }) => `${groupedAmount(amount)} ${currency}`],
  ['to', ({ instruction, payee }) => payeeInFull({ kind: 'payout', instruction }, payee ?? undefined)],
  ['note', ({ instruction }) => instruction.note ?? ''],
  ['from', ({ instruction }) => instruction.account_id],
  ['on', ({ instruction }) => instruction.execute_on ?? ''],
];

const ROWS_MAX = 20;

/** The first rows, for who confirms the plan. */
export function rowsText({ listed, payouts }: Plan & { listed: readonly ListedRow[] }): string {
  const shown = listed.slice(0, ROWS_MAX);
  const more = payouts - shown.length;
  const rest = more > 0 ? [`and ${number(more)} more: listed are payees given by their details, then the largest`] : [];
  return [filledTable(LISTED_COLUMNS, shown, widthOf(process.stderr)), ...rest].join('\n');
}

const accountCells = ({ accountId, currency, balance, needs, after }: AccountOutlook): string[] => [
  accountId,
  currency,
  groupedAmount(balance),
  groupedAmount(needs),
  afterText(after),
];

const afterText = (balance: string): string => `${groupedAmount(balance)}${balance.startsWith('-') ? '  short' : ''}`;

/** The accounts are those that are named, even if the outlook names others. */
export function movePlanText({ kind, instruction }: MoveAsked, outlook: MoveOutlook): string {
  const { account_id: paying, to_account_id: receiving = '', amount, currency, execute_on: day } = instruction;
  const { from, to, fee, feeCurrency, sells } = outlook;
  const { max_rate: maxRate, sell_currency: sold } = instruction;
  const most = maxRate && sold && mostSoldFor(amount, { maxRate, currency: sold });
  const isTransfer = kind === 'transfer';
  const taken = isTransfer ? amount : (sells?.amount ?? '0');
  const needs = fee !== undefined && isTransfer && feeCurrency === from.currency ? addDecimals(taken, fee) : taken;
  const after = addDecimals(from.balance, `-${needs}`);
  const what = isTransfer
    ? `transfer ${groupedAmount(amount)} ${currency}`
    : `buy ${groupedAmount(amount)} ${currency}${sells === undefined ? '' : ` for ${groupedAmount(sells.amount)} ${from.currency} at ${sells.rate} now`}`;
  const accounts = [
    [paying, from.currency, groupedAmount(from.balance), afterText(after)],
    [receiving, to.currency, groupedAmount(to.balance), groupedAmount(addDecimals(to.balance, amount))],
  ];
  return [
    `${what}, document ${instruction.id}`,
    ...(day === undefined ? [] : [`sent on ${day}`]),
    ...(most === undefined ? [] : [`sells at most ${groupedAmount(most)} ${instruction.sell_currency}`]),
    ...(fee === undefined ? [] : [`fee now: ${groupedAmount(fee)} ${feeCurrency ?? ''}`.trimEnd()]),
    table(['account', 'currency', 'balance', 'after'], accounts),
  ].join('\n');
}

/** How to take a batch back of which nothing is sent yet. */
export const takenBackBy = (batchId: string, undoMs = 0): string =>
  undoMs === 0
    ? ''
    : ` Nothing is sent for ${counted(Math.ceil(undoMs / 1_000), 'second')}: \`payouts cancel ${shortId(batchId)}\` takes it back.`;
