import { condition } from '@temporalio/workflow';
import type { OrderJudgement } from '../../domain/order-judgement.ts';
import { isNoMoney, type TerminalMeaning } from '../../domain/order-status.ts';
import type { EndState, Reason } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import type { PayoutLife } from '../life.ts';
import { read } from '../proxies.ts';
import { awaitBankApproval, BANK_APPROVAL_REQUIRED } from './await-bank-approval.ts';
import type { OrderRequest } from './submit-order.ts';

export type Ends = Record<TerminalMeaning, { state: EndState; reason: Reason | null }>;

export interface Followed {
  meaning: TerminalMeaning;
  judgement: OrderJudgement;
}

/**
 * Follows an order to its end. The watch says when to look, a GET decides; "no money" is believed after a second GET some
 * time later. `ends` says what each end is for the payout, so that the confirming read stores it; absent for an exchange,
 * whose end is not the payout's.
 */
export async function followOrder(
  life: PayoutLife,
  request: OrderRequest,
  orderId: string,
  terms: Terms,
  ends: (() => Ends) | undefined,
): Promise<Followed> {
  const follow: Follow = { life, request, orderId, terms, ends, openSince: Date.now(), lastStatus: '' };
  let heard = life.orderHeardOf(request.expected.reference) === undefined ? life.heard : life.heard - 1;
  // An exchange is followed to its end whatever is asked: the payout behind it can still stop.
  const cancellable = request.expected.kind === 'payment';
  for (;;) {
    await life.untilNews(
      terms.waits.patienceMs,
      () => life.heard > heard || (cancellable && life.wantsCancel && !life.cancelDrivenAtBank),
    );
    heard = life.heard;
    const judgement = await look(follow, 'first');
    if (judgement.meaning !== 'awaiting-audit') life.closeQuestion();
    const conflict = conflictOf(follow, judgement);
    if (conflict !== undefined) {
      await park(follow, conflict, judgement);
      continue;
    }
    if (life.state === 'needs-operator') await life.enter(cancellable ? 'processing' : 'converting');
    switch (judgement.meaning) {
      case 'open':
        if (cancellable && life.wantsCancel) life.tooLateToCancel = true;
        break;
      case 'awaiting-audit':
        await awaitBankApproval(life, orderId, terms);
        break;
      case 'paid':
        return { meaning: 'paid', judgement };
      case 'rejected':
      case 'cancelled':
      case 'failed': {
        const confirmed = await confirmNoMoney(follow, judgement);
        if (confirmed !== undefined) return confirmed;
        break;
      }
      case 'unclear':
        break;
    }
  }
}

interface Follow {
  life: PayoutLife;
  request: OrderRequest;
  orderId: string;
  terms: Terms;
  ends: (() => Ends) | undefined;
  openSince: number;
  lastStatus: string;
}

/** Whether an audit at the bank is a question to people, or already answered. */
function asksPeople(life: PayoutLife): boolean {
  return life.bankDecision === undefined && !life.wantsCancel;
}

/** One GET. "Paid" is an end at the first read; "no money" only at the second (`confirming`). */
async function look(follow: Follow, which: 'first' | 'confirming'): Promise<OrderJudgement> {
  const { life, request, orderId, terms, ends } = follow;
  const all = ends?.();
  const audit = { 'awaiting-audit': { state: 'awaiting-bank-approval' as const, reason: BANK_APPROVAL_REQUIRED } };
  const becomes = which === 'confirming' ? all : { paid: all?.paid, ...(asksPeople(life) ? audit : {}) };
  const judgement = await read(
    'readOrder',
    { owner: life.reference, orderId, expected: request.expected, closedMeans: terms.closedMeans, becomes },
    which === 'first' ? 'looks at the order' : 'looks again before "no money" is believed',
  );
  life.bankStatus = judgement.status;
  if (judgement.status !== follow.lastStatus) {
    follow.lastStatus = judgement.status;
    follow.openSince = Date.now();
    life.note(`the bank shows ${judgement.status}`);
  }
  return judgement;
}

/** Why an order cannot be decided through the API; undefined when it can. */
function conflictOf(follow: Follow, judgement: OrderJudgement): ReasonCode | undefined {
  if (judgement.differences.length > 0) return 'reference-conflict';
  if (judgement.meaning === 'unclear') return 'status-unclear';
  const stuck = Date.now() - follow.openSince >= follow.terms.waits.statusAgeLimitMs;
  if (stuck && (judgement.meaning === 'open' || judgement.meaning === 'awaiting-audit')) return 'status-stuck';
  return undefined;
}

/** Hands the order to people and looks again, ever more rarely, until it can be decided. */
async function park({ life, terms }: Follow, reason: ReasonCode, judgement: OrderJudgement): Promise<void> {
  const detail =
    judgement.differences.length > 0 ? `other ${judgement.differences.join(', ')}` : `status ${judgement.status}`;
  if (life.state !== 'needs-operator') await life.enter('needs-operator', because(reason, detail));
  const heard = life.heard;
  await condition(() => life.resolves.length > 0 || life.heard > heard, terms.waits.patienceMs);
  const pending = life.resolves.shift();
  if (pending !== undefined) {
    pending.answer =
      pending.request.action === 'keep-looking'
        ? { accepted: true, message: 'looking at the order again' }
        : {
            accepted: false,
            message: 'the bank has an order under this reference: only its own status ends the payout',
          };
  }
  // The next round looks at once.
  life.hear(undefined);
}

/** The second read of a status that says "no money", some time after the first. */
async function confirmNoMoney(follow: Follow, first: OrderJudgement): Promise<Followed | undefined> {
  await condition(() => false, follow.terms.waits.noMoneyRecheckMs);
  const second = await look(follow, 'confirming');
  if (second.meaning === 'paid' && second.differences.length === 0) return { meaning: 'paid', judgement: second };
  if (isNoMoney(second.meaning) && second.meaning === first.meaning)
    return { meaning: second.meaning, judgement: second };
  follow.life.note(`the bank changed its mind: ${first.status}, then ${second.status}`);
  follow.life.hear(undefined);
  return undefined;
}
