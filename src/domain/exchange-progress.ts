import type { LegKind } from './sent-order.ts';
import { mayHaveLeft, type Submission } from './submission.ts';

/** How far the exchange of a payout has come. */
export interface ExchangeProgress {
  /** It is done: the payout is paid from the account in its own currency, into which the money was booked. */
  exchanged: boolean;
  /** It may be booked: the account sold is then short by it, and that is no shortage. */
  exchangeSent: boolean;
}

/** What is known of an order; `submission` absent: nothing was sent. */
interface Known {
  submission?: Submission;
  isPaid?: boolean;
}

/** By what is known when a run begins. A payment is sent only after its exchange. */
export function exchangeProgress({ payment, exchange }: Partial<Record<LegKind, Known>>): ExchangeProgress {
  return {
    exchanged: exchange?.isPaid === true || (payment?.submission?.attempts ?? 0) > 0,
    exchangeSent: mayHaveLeft(exchange?.submission),
  };
}
