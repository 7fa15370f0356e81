import { condition } from '@temporalio/workflow';
import { endOfStatus } from '../../domain/card-payment.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { CardLife } from './life.ts';
import { retrieve } from './look.ts';

/** What followed from asking people: they said what to do, or news came first. */
export type OperatorAnswer = 'news' | 'look' | 'closed' | { adopt: string };

/**
 * Parks the payment for people, who answer with the update `resolve`. What they say is checked against the acquirer: a
 * payment that is shown as taken or under way is not closed as unpaid, and only one that is shown is adopted.
 */
export async function askOperator(life: CardLife, reason: Reason, news: () => boolean): Promise<OperatorAnswer> {
  await life.enter('needs-operator', reason);
  for (;;) {
    await condition(() => news() || life.resolves.length > 0);
    if (news()) return 'news';
    const [pending] = life.resolves.splice(0, 1);
    if (pending === undefined) continue;
    const { action, paymentId } = pending.request;
    if (action === 'keep-looking') {
      pending.answer = { accepted: true, message: 'looking again' };
      return 'look';
    }
    const named = action === 'adopt-payment' ? paymentId : life.paymentId;
    const view = named == null ? undefined : await retrieve(named);
    if (action === 'close-as-not-paid') {
      if (named != null && view === undefined) {
        pending.answer = {
          accepted: false,
          message: 'the acquirer does not answer: nobody knows that nothing was taken',
        };
        continue;
      }
      if (view?.status === 'PROCESSING' || endOfStatus(view?.status ?? '') === 'succeeded') {
        pending.answer = { accepted: false, message: `the acquirer shows ${view?.status}` };
        continue;
      }
      pending.answer = { accepted: true, message: 'closed as failed' };
      return 'closed';
    }
    if (view === undefined) {
      pending.answer = { accepted: false, message: 'the acquirer does not show this payment now' };
      continue;
    }
    if (view.merchantRequestId !== undefined && !life.requestIds.includes(view.merchantRequestId)) {
      pending.answer = { accepted: false, message: 'the acquirer shows it under another merchant_request_id' };
      continue;
    }
    life.saw(view);
    pending.answer = { accepted: true, message: `follows this payment, now ${view.status}` };
    return { adopt: view.paymentId };
  }
}
