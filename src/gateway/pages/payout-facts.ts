import { FLAGS } from '../../domain/flags.ts';
import { OWN_FIELDS } from '../../domain/instruction.ts';
import type { Terms } from '../../domain/policy.ts';
import { checkText } from '../../reports/check-texts.ts';
import { totalsText } from '../../reports/display.ts';
import { type Html, html } from '../../reports/html.ts';
import { shownValue, visible } from '../../rules/finding.ts';
import { capsOf, costAtMost } from '../../services/decisions/signed-parts.ts';
import type { BookedExchange, PayoutRecord } from '../../store/store.ts';
import type { PayoutShown } from './payout-view.ts';
import { batchPath, factList, moment, money } from './pieces.ts';

export function flagsOf({ row, payee }: PayoutShown): string[] {
  const { kind, assessed, lookAlikeOf, generation } = row;
  const flags: [isUp: boolean, text: string][] = [
    ...(assessed?.flags ?? []).map((flag): [boolean, string] => [true, FLAGS[flag]]),
    [kind === 'payout' && payee.id === undefined, 'payee given by its details'],
    [lookAlikeOf !== null, 'looks like an earlier payout'],
    [kind === 'payout' && assessed?.exchange !== undefined, 'needs an exchange first'],
    [assessed?.funds?.enough === false, 'the account does not hold enough money'],
    [generation > 0, 'retried after a proven failure'],
  ];
  return flags.filter(([isUp]) => isUp).map(([, text]) => text);
}

const CHECKS = { verification: 'Payee check', screening: 'Screening' } as const;

export function paymentFacts(
  { row, payee, checks, booked, returns }: PayoutShown,
  caps: Pick<Terms, 'feeCap' | 'maxSlippage'>,
): Html {
  const { instruction, assessed, fee, feeCurrency, kind } = row;
  const { account_id: from, to_account_id: to } = instruction;
  const exchange = assessed?.exchange;
  const { feeAtMost, sellAtMost } = costAtMost(row, assessed ?? {}, caps);
  return factList([
    ['From account', from],
    ['Paying account', assessed?.payingAccountId !== from && assessed?.payingAccountId],
    ['To account', kind !== 'payout' && to],
    ['User', assessed?.transfer?.destination.uid],
    ['Payee', payee.name],
    ['Payee’s account', payee.account],
    ['Payee at the bank', payee.isUnknown ? `${payee.id} (not shown by the bank at present)` : payee.id],
    ...checks.map((check) => [CHECKS[check.kind], visible(checkText(check))] as const),
    ['Fee now', assessed?.fee !== undefined && fee === null && money(assessed.fee, assessed.feeCurrency ?? '')],
    ['Fee booked', fee !== null && money(fee, feeCurrency ?? '')],
    ['Fee cap', feeAtMost ?? 'no cap'],
    [
      'Exchange',
      exchange !== undefined &&
        html`${money(exchange.quotedSellAmount, exchange.sellCurrency)} for ${money(exchange.buyAmount, exchange.buyCurrency)}`,
    ],
    ['Exchanged', booked !== undefined && exchangedText(booked)],
    ['Slippage cap', exchange !== undefined && capsOf(row, caps).maxSlippage],
    ['Sells at most', sellAtMost !== undefined && money(sellAtMost.amount, sellAtMost.currency)],
    ['Limit it would exceed', assessed?.limit],
    ['On', instruction.execute_on],
    ['Returned', returns.length > 0 && totalsText(returns)],
  ]);
}

/** Empty if the bank has omitted an amount. */
function exchangedText({ soldAmount, soldCurrency, boughtAmount, boughtCurrency, rate }: BookedExchange): Html | false {
  if (soldAmount === null || boughtAmount === null) return false;
  return html`${money(soldAmount, soldCurrency ?? '')} for ${money(boughtAmount, boughtCurrency ?? '')}${rate !== null && `, rate ${rate}`}`;
}

export const originFacts = ({ row }: PayoutShown, url: string): Html => {
  const { uid, by, createdAt, batchId, reference, orderId } = row;
  return factList([
    ['User', uid],
    ['Maker', by ?? 'not known'],
    ['Submitted', moment(createdAt)],
    ['Batch', batchId !== null && html`<a href="${batchPath(batchId)}">${batchId}</a>`],
    ['Reference', html`<code>${reference}</code>`],
    ['Bank order', orderId !== null && html`<code>${orderId}</code>`],
    ['Workflow', /^https?:/.test(url) && html`<a href="${url}" rel="noreferrer">in the Temporal UI</a>`],
  ]);
};

/** Not a column of files; an account of our own. */
const TO_ACCOUNT = 'to_account_id';

/** Every field of the row that the digest covers; personal details are masked. */
export const instructionFacts = ({ instruction }: PayoutRecord): Html =>
  factList(
    Object.entries(instruction).map(([field, value]) => [
      OWN_FIELDS.has(field) || field === TO_ACCOUNT ? field : `payee: ${field}`,
      shownValue(field === TO_ACCOUNT ? 'account_id' : field, value),
    ]),
  );
