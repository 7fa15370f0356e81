import { addDecimals } from '../domain/money.ts';
import type { MovePlan } from '../intake/own-move.ts';
import { groupedAmount } from '../reports/display.ts';
import { table } from './table.ts';

/** What is moved, what it costs, and what is left: shown before money moves. */
export function movePlanText({ kind, instruction, outlook }: MovePlan): string {
  const { amount, currency, execute_on: day } = instruction;
  const { from, to, fee, feeCurrency, sells } = outlook;
  const isTransfer = kind === 'transfer';
  const taken = isTransfer ? amount : (sells?.amount ?? '0');
  const needs = fee !== undefined && isTransfer && feeCurrency === from.currency ? addDecimals(taken, fee) : taken;
  const after = addDecimals(from.balance, `-${needs}`);
  const what = isTransfer
    ? `transfer ${groupedAmount(amount)} ${currency}`
    : `buy ${groupedAmount(amount)} ${currency}${sells === undefined ? '' : ` for ${groupedAmount(sells.amount)} ${from.currency} at ${sells.rate} now`}`;
  return [
    `${what}, document ${instruction.id}`,
    ...(day === undefined ? [] : [`sent on ${day}`]),
    ...(fee === undefined ? [] : [`fee now: ${groupedAmount(fee)} ${feeCurrency ?? ''}`.trimEnd()]),
    table(
      ['account', 'currency', 'balance', 'after'],
      [
        [
          from.account_id,
          from.currency,
          groupedAmount(from.balance),
          `${groupedAmount(after)}${after.startsWith('-') ? '  short' : ''}`,
        ],
        [to.account_id, to.currency, groupedAmount(to.balance), groupedAmount(addDecimals(to.balance, amount))],
      ],
    ),
  ].join('\n');
}
