import type { Secret } from '../config/secret.ts';
import type { EventFilter } from '../domain/events-out.ts';

/** Which events are delivered, and to whom. */
export interface Subscription extends EventFilter {
  name: string;
  to: WebhookReceiver | MailReceivers;
}

export interface WebhookReceiver {
  kind: 'webhook';
  /** https, or http on this machine. */
  url: string;
  /** Each of them signs every event, so that a receiver can change from one to the next. */
  secrets: Secret<readonly Buffer[]>;
  /** Whether the receiver may be in a private network. */
  privateNetwork: boolean;
}

export interface MailReceivers {
  kind: 'mail';
  addresses: readonly string[];
  /** Time between two mails, ms. */
  everyMs: number;
}
