import type { LegKind } from './names.ts';
import { mayHaveBeenSent, type Submission } from './submission.ts';

/** Progress of a payout's exchange. */
export interface ExchangeProgress {
  /** Done: the payout is paid from the account in its own currency, into which the money was booked. */
  exchanged: boolean;
  /** It may be booked: the sold account is then short by that amount, which does not mean that it lacks money. */
  exchangeSent: boolean;
}

/** What is known about an order; `submission` is absent if nothing was sent. */
interface Known {
  submission?: Submission;
  isPaid?: boolean;
}

/** Progress from what is known when a run begins. A payment is sent only after its exchange. */
export function exchangeProgress({ payment, exchange }: Partial<Record<LegKind, Known>>): ExchangeProgress {
  return {
    exchanged: exchange?.isPaid === true || (payment?.submission?.attempts ?? 0) > 0,
    exchangeSent: mayHaveBeenSent(exchange?.submission),
  };
}
