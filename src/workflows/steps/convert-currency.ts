import type { AssessInput } from '../../activities/assess.ts';
import type { Assessment } from '../../domain/gates.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { exceedsSlippage } from '../../domain/money.ts';
import type { ExpectedOrder } from '../../domain/order-judgement.ts';
import type { Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { ExchangeOrder } from '../../domain/sent-order.ts';
import type { RefusalMeaning } from '../../domain/submission.ts';
import type { SwitchScope } from '../../domain/switches.ts';
import type { PayoutLife } from '../life.ts';
import { sends } from '../proxies.ts';
import { awaitDecision } from './await-decision.ts';
import type { Unpaid } from './clear-gates.ts';
import { followOrder } from './follow-order.ts';
import { type OrderRequest, type SubmissionProgress, submitOrder } from './submit-order.ts';

/** `assessment`: what the bank shows of the payout after the exchange, where it was read along. */
export type Converted =
  | { converted: true; assessment: Assessment | undefined }
  | { refused: RefusalMeaning; detail: string }
  | { cleared: true }
  | { ended: true }
  | { unsent: true }
  | { switchedOff: SwitchScope }
  | Unpaid;

/** What an exchange is made of. */
export interface Exchange {
  /** Derived from the payout's identity. */
  reference: string;
  /** Another one once it turns out that other bytes are in force. */
  order: ExchangeOrder;
  instruction: PayoutInstruction;
  terms: Terms;
  thenAssess: AssessInput;
}

/**
 * Buys the payout currency in one order under the payout's own derived reference, and follows that order to its end
 * before anything is paid from it. Never undone automatically.
 */
export async function convertCurrency(
  life: PayoutLife,
  exchange: Exchange,
  progress: SubmissionProgress,
): Promise<Converted> {
  const { reference, terms, thenAssess } = exchange;
  const request = exchangeRequest(life, exchange);
  const submitted = await submitOrder(life, request, terms, progress);
  switch (submitted.kind) {
    case 'refused':
      return { refused: submitted.meaning, detail: submitted.detail };
    case 'cleared':
      return { cleared: true };
    case 'unsent':
      return { unsent: true };
    case 'switched-off':
      return { switchedOff: submitted.scope };
    case 'stopped':
      return { end: 'cancelled', reason: because('cancelled-by-request') };
    case 'ended':
      return { ended: true };
    case 'closed':
      return { end: 'failed', reason: submitted.reason };
    case 'placed':
      break;
  }
  life.show('converting');
  const { order } = exchange;
  const followed = await followOrder(life, { request, ...submitted, terms, expiredAt: order.expiredAt, thenAssess });
  const { cancelDriven } = life.order;
  // The payment is another order: nothing said about the exchange counts for it.
  life.order = { cancelDriven: false, tooLateToCancel: false };
  life.bankStatus = null;
  if (followed.meaning === 'closed') return { end: 'failed', reason: followed.reason };
  life.openReferences.delete(reference);
  if (followed.meaning !== 'paid') {
    return cancelDriven
      ? { end: 'cancelled', reason: because('cancelled-by-request') }
      : { end: 'failed', reason: because('exchange-failed', `order ${followed.meaning}`) };
  }
  life.exchanged = true;
  const { sellAmount, assessment } = followed.judgement;
  // A rate that cannot be compared counts as above the cap.
  if (sellAmount === undefined || exceedsSlippage(order.quotedSellAmount, sellAmount, terms.maxSlippage)) {
    return heldOverRate(life);
  }
  return { converted: true, assessment };
}

function exchangeRequest(life: PayoutLife, exchange: Exchange): OrderRequest {
  const {
    reference,
    instruction: { uid },
  } = exchange;
  const { sellAccountId, amount, currency, sellCurrency } = exchange.order;
  const currencies = [currency, sellCurrency];
  const expected: ExpectedOrder = { kind: 'exchange', reference, uid, accountId: sellAccountId, currency, amount };
  return {
    expected,
    accountId: sellAccountId,
    currencies,
    showing: 'converting',
    send: (attempt, othersInDoubt) =>
      sends.submitExchange.executeWithOptions({ summary: `buys ${currency} ${expected.amount}, attempt ${attempt}` }, [
        {
          owner: life.reference,
          reference,
          attempt,
          othersInDoubt,
          workflowId: life.workflowId,
          uid,
          currencies,
          ...exchange.order,
        },
      ]),
    expect(sent) {
      if (!('sellAccountId' in sent)) return;
      exchange.order = sent;
      expected.accountId = sent.sellAccountId;
      expected.amount = sent.amount;
    },
  };
}

/** The booked rate is worse than the cap: both legs are done, people decide whether the payout goes on. */
async function heldOverRate(life: PayoutLife): Promise<Converted> {
  const decided = await awaitDecision(life, {
    ask: { kind: 'hold', digest: life.digest, needed: 1 },
    state: 'held',
    reason: because('slippage-above-cap'),
  });
  switch (decided.kind) {
    case 'approved':
      // What was read before the wait no longer counts.
      return { converted: true, assessment: undefined };
    case 'rejected':
      return { end: 'rejected', reason: because('approval-rejected') };
    case 'cancel':
    case 'expired':
    case 'interrupted':
      return { end: 'cancelled', reason: because('cancelled-by-request') };
  }
}
