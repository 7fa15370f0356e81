import { totalsText } from '../../domain/display.ts';
import { shownValue, visible } from '../../domain/finding.ts';
import { OWN_FIELDS } from '../../domain/instruction.ts';
import { checkText } from '../../reports/check-texts.ts';
import { type Html, html } from '../../reports/html.ts';
import { paidFacts } from '../../reports/question-facts.ts';
import type { BookedExchange, PayoutRecord } from '../../store/store.ts';
import type { PayoutShown } from './payout-view.ts';
import { batchPath, factList, moment, money } from './pieces.ts';

const CHECKS = { verification: 'Payee check', screening: 'Screening' } as const;

export function paymentFacts(shown: PayoutShown): Html {
  const { row, checks, booked, returns } = shown;
  const { fee, feeCurrency } = row;
  return factList([
    ...paidFacts(shown),
    ...checks.map((check) => [CHECKS[check.kind], visible(checkText(check))] as const),
    ['Fee booked', fee !== null && money(fee, feeCurrency ?? '')],
    ['Exchanged', booked !== undefined && exchangedText(booked)],
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
