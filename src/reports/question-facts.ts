import type { LabelledText } from '../domain/display.ts';
import { counted } from '../domain/display.ts';
import { shownValue } from '../domain/finding.ts';
import { beneficiaryFields } from '../domain/instruction.ts';
import { groupedAmount, type Sum } from '../domain/money.ts';
import { FLAGS, type Flag, orderAlike } from '../domain/payee.ts';
import type { Reason } from '../domain/payout-state.ts';
import { isReasonCode, REASONS } from '../domain/reasons.ts';
import type { PayoutRecord } from '../store/store.ts';
import { maskedPayee, payeeNamed } from './masked.ts';

/** What is shown of a question, to the person who signs its digest: `ShownQuestion` (`src/people/decisions/shown-question.ts`). */
interface QuestionShown {
  row: PayoutRecord;
  asked: { question: string; digest: string; needed: number } | undefined;
  payee: { items: Readonly<Record<string, string | undefined>> } | undefined;
  bounds: { feeAtMost?: string; sellAtMost?: Sum; maxSlippage: string | undefined };
  hold: { reason: Reason; upTo?: string } | undefined;
  order: OrderShown | undefined;
}

type OrderShown = { order_id: string } & Partial<
  Record<
    | ('transaction_amount' | 'transaction_currency' | 'transaction_account')
    | ('buy_amount' | 'buy_currency' | 'sell_amount' | 'sell_currency' | 'sell_account'),
    string
  >
>;

const money = (amount: string | undefined, currency = ''): string | undefined =>
  amount === undefined ? undefined : `${groupedAmount(amount)} ${currency}`.trim();

/** `isUnknown`: the bank does not show the payee that the row names. */
export function payeeShown({ row: { instruction }, payee }: Pick<QuestionShown, 'row' | 'payee'>, isMasked = false) {
  const { beneficiary_id: id } = instruction;
  const items = id === undefined ? beneficiaryFields(instruction) : (payee?.items ?? {});
  return { id, ...(isMasked ? maskedPayee : payeeNamed)(items), isUnknown: id !== undefined && payee === undefined };
}

/**
 * Who is paid what, or what is moved between which accounts, at what cost at most; with blank values for what does not apply.
 * `isMasked`: for somebody who may see the payout, and neither decides about it nor has handed it over.
 */
export function paidFacts(shown: Omit<QuestionShown, 'asked' | 'hold' | 'order'>, isMasked = false): LabelledText[] {
  const { row, bounds } = shown;
  const { instruction, assessed, kind, fee } = row;
  const { account_id: from, to_account_id: to } = instruction;
  const exchange = assessed?.exchange;
  const paying = assessed?.payingAccountId;
  const payee = payeeShown(shown, isMasked);
  return [
    ['Payee', payee.name],
    ['Payee’s account', payee.account],
    ['Payee’s bank', payee.bank],
    ['Country', payee.country],
    ['Payee at the bank', payee.isUnknown ? `${payee.id} (not shown by the bank at present)` : payee.id],
    ['Note', isMasked ? shownValue('note', instruction.note) : instruction.note],
    ['Reason', isMasked ? shownValue('reason', instruction.reason) : instruction.reason],
    ['From account', from],
    ['Paying account', paying === from ? undefined : paying],
    ['To account', kind === 'payout' ? undefined : to],
    ['User', assessed?.transfer?.destination.uid],
    ['Fee now', fee === null ? money(assessed?.fee, assessed?.feeCurrency) : undefined],
    ['Fee cap', bounds.feeAtMost ?? 'no cap'],
    [
      'Exchange',
      exchange &&
        `${money(exchange.quotedSellAmount, exchange.sellCurrency)} for ${money(exchange.buyAmount, exchange.buyCurrency)}`,
    ],
    ['Exchange costs', exchange && bounds.maxSlippage && priceAtMost(bounds.maxSlippage)],
    ['Rate at most', rateAtMost(instruction)],
    ['Sells at most', money(bounds.sellAtMost?.amount, bounds.sellAtMost?.currency)],
    ['Limit it would exceed', assessed?.limit],
    ['On', instruction.execute_on],
  ];
}

const rateAtMost = ({
  max_rate: rate,
  sell_currency: sold,
  currency,
}: PayoutRecord['instruction']): string | undefined => rate && `${rate} ${sold} for 1 ${currency}`;

export const NOT_MADE = 'no rule asks for an approval, but its maker has not signed it, with all that it may sell';

/** What people should check before they decide. */
export function flagTexts(
  { kind, instruction, assessed, lookAlikeOf, generation }: PayoutRecord,
  alike: readonly string[] = [],
): string[] {
  const flags: [isUp: boolean, text: string][] = [
    ...(assessed?.flags ?? []).map((flag): [boolean, string] => [true, FLAGS[flag]]),
    [kind === 'payout' && instruction.beneficiary_id === undefined, 'payee given by its details'],
    [lookAlikeOf !== null && orderAlike(lookAlikeOf) === undefined && alike.length === 0, 'looks like another payout'],
    [orderAlike(lookAlikeOf) !== undefined, 'same account and amount as an order that was not sent from here'],
    [alike.length > 0, `same payee and amount as ${alike.join(', ')} of the same file`],
    [kind === 'payout' && assessed?.exchange !== undefined, 'needs an exchange first'],
    [assessed?.funds?.enough === false, 'the account does not hold enough money'],
    [generation > 0, 'a retry of an earlier payout'],
    [assessed?.notMade === true, NOT_MADE],
  ];
  return flags.filter(([isUp]) => isUp).map(([, text]) => text);
}

const DONE = { payout: 'paid', transfer: 'transferred', exchange: 'exchanged' } as const;

/** The question in words. */
export function questionText({ row: { kind }, asked, hold }: Pick<QuestionShown, 'row' | 'asked' | 'hold'>): string {
  const code = hold?.reason.code ?? '';
  switch (asked?.question) {
    case 'hold':
    case 'screening':
      if (isReasonCode(code) && REASONS[code].approvalOnlyChecks)
        return 'This is held, and an approval only checks again.';
      return `This is held. Should it be ${DONE[kind]} anyway?`;
    case 'bank':
      return "Approve the order in the bank's audit?";
    default:
      return `Should this be ${DONE[kind]}?`;
  }
}

/** What an approval of the question says besides, and the digest that is signed. */
export function askedFacts({ asked, hold, order }: QuestionShown): LabelledText[] {
  return [
    ['Held because', hold?.reason.message],
    ['Lets through', hold?.upTo && `at most ${hold.upTo}`],
    ["Bank's order", order?.order_id],
    ['Order shows', order && orderText(order)],
    ['Needs', asked && counted(asked.needed, 'approval')],
    ['Digest', asked?.digest],
  ];
}

function orderText(order: OrderShown): string {
  const { transaction_amount: amount = order.buy_amount, transaction_currency: currency = order.buy_currency } = order;
  const sold = money(order.sell_amount, order.sell_currency);
  const from = order.transaction_account ?? order.sell_account;
  const parts = [money(amount, currency) ?? 'no amount', sold && `for ${sold}`, from && `from ${from}`];
  return parts.filter((part) => part).join(' ');
}

/** `2 rows are alike: INV-9001, INV-9002 (same payee, amount and currency)` */
export const alikeText = (ids: readonly string[]): string =>
  `${counted(ids.length, 'row')} are alike: ${ids.slice(0, ALIKE_MAX).join(', ')}${ids.length > ALIKE_MAX ? ' and others' : ''} (same payee, amount and currency)`;

const ALIKE_MAX = 10;

/** Texts of the flags that every row of a plan has: its summary says them once. */
export const flagsOfAll = ({
  flags,
  rows,
}: {
  flags: Partial<Record<Flag, number>>;
  rows: readonly unknown[];
}): string[] =>
  (Object.keys(flags) as Flag[])
    .filter((flag) => rows.length > 1 && flags[flag] === rows.length)
    .map((flag) => FLAGS[flag]);

/** The highest costs that one signature covers, with the number of payouts. */
export const capsText = ({ feeCap, maxSlippage, count }: { feeCap?: string; maxSlippage?: string; count: number }) =>
  `${counted(count, 'payout')}: ${feeCap === undefined ? 'any fee' : `a fee of at most ${groupedAmount(feeCap)} each`}, and an exchange for ${maxSlippage === undefined ? 'any price' : priceAtMost(maxSlippage)}`;

/** `maxSlippage`: a fraction. */
const priceAtMost = (maxSlippage: string): string =>
  `at most ${Number((Number(maxSlippage) * 100).toFixed(6))} % more than quoted`;

/** In what two questions about one payout differ, for people: `Sells at most: 2,183.04 USD, was 1,130.92 USD`. */
export function changesSince(before: QuestionShown, now: QuestionShown): string[] {
  const textsOf = (shown: QuestionShown): Map<string, string> => {
    const { amount, currency } = shown.row.instruction;
    const facts = [
      ['Question', questionText(shown)],
      ['Amount', money(amount, currency)],
    ] as const;
    return new Map([...facts, ...paidFacts(shown), ...askedFacts(shown)].map(([label, text]) => [label, text ?? '']));
  };
  const [was, is] = [textsOf(before), textsOf(now)];
  const changed = [...is].filter(([label, text]) => label !== 'Digest' && was.get(label) !== text);
  return changed.map(([label, text]) => `${label}: ${text || 'nothing'}, was ${was.get(label) || 'nothing'}`);
}
