import type { CardPaymentView } from '../../domain/card-payment.ts';
import { localReads } from '../proxies.ts';
import type { CardExecution } from './execution.ts';

/** What retrieve shows of a payment now; undefined if the acquirer does not answer. Does not check whose payment it is. */
export const retrieve = (paymentId: string): Promise<CardPaymentView | undefined> =>
  localReads.retrievePayment
    .executeWithOptions({ summary: 'retrieves the payment' }, [{ paymentId }])
    .catch(() => undefined);

/** Queries a payment of this intent; without an answer nothing changes. */
export async function readPayment(execution: CardExecution, paymentId: string): Promise<CardPaymentView | undefined> {
  const view = await retrieve(paymentId);
  if (view === undefined) execution.note('retrieve did not answer');
  else execution.saw(view);
  return view;
}
