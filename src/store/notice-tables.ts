// Of what people were notified (migration 0006).

/** The last reminder of a payout that people have to act on. */
export interface ReminderRecord {
  reference: string;
  /** Since when the payout was in the state that the reminder is about. */
  stateSince: number;
  /** When the time to act ends, epoch ms. */
  until: number;
}

/** A mail to a payee about a payout. It holds no address. */
export interface AdviceRecord {
  reference: string;
  /** `paid`, or the order with which money came back. */
  about: string;
  /** `refused`: the mail server does not take the address. */
  outcome: 'sent' | 'refused';
  at: number;
}
