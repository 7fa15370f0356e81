import type { Secret } from '../config/secret.ts';
import type { EventFilter } from '../domain/events-out.ts';

/** Who is told of which events, and how. */
export interface Subscription extends EventFilter {
  name: string;
  to: WebhookReceiver | MailReceivers;
}

export interface WebhookReceiver {
  kind: 'webhook';
  /** https, or http on this machine. */
  url: string;
  /** Every one of them signs, so that one can take the place of another. */
  secrets: Secret<readonly Buffer[]>;
  /** The receiver may be in a private network. */
  privateNetwork: boolean;
}

export interface MailReceivers {
  kind: 'mail';
  addresses: readonly string[];
  /** A mail tells of what has come up in so long, in ms. */
  everyMs: number;
}
