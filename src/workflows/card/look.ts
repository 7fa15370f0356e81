import type { CardPaymentView } from '../../domain/card-payment.ts';
import { localReads } from '../proxies.ts';
import type { CardExecution } from './execution.ts';

/** What retrieve shows of a payment now; undefined when the acquirer does not answer. Whose it is, is not judged. */
export async function retrieve(paymentId: string): Promise<CardPaymentView | undefined> {
  try {
    return await localReads.retrievePayment.executeWithOptions({ summary: 'retrieves the payment' }, [{ paymentId }]);
  } catch {
    return undefined;
  }
}

/** A look at a payment of this intent; the payment stays as it was when the acquirer does not answer. */
export async function lookAtPayment(execution: CardExecution, paymentId: string): Promise<CardPaymentView | undefined> {
  const view = await retrieve(paymentId);
  if (view === undefined) execution.note('retrieve did not answer');
  else execution.saw(view);
  return view;
}
