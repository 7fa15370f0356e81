import type { CardPaymentView } from '../../domain/card-payment.ts';
import { glances } from '../proxies.ts';
import type { CardLife } from './life.ts';

/** What retrieve shows of a payment now; undefined when the acquirer does not answer, and the payment stays as it was. */
export async function lookAtPayment(life: CardLife, paymentId: string): Promise<CardPaymentView | undefined> {
  try {
    const view = await glances.retrievePayment.executeWithOptions({ summary: 'retrieves the payment' }, [
      { paymentId },
    ]);
    life.saw(view);
    return view;
  } catch {
    life.note('retrieve did not answer');
    return undefined;
  }
}
