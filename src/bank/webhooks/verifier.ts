import { hash } from 'node:crypto';
import { signedByHeader } from './hmac-sha256.ts';
import { ipList } from './ip-list.ts';
import { type Delivery, Refusal, type Scheme, type WebhookSettings } from './scheme.ts';
import { standardWebhook } from './standard-webhooks.ts';

export type Verdict =
  /** `hint`: authenticated only by the sender's address. `receiptId`: the same for a repeated webhook. */
  | { trust: 'verified' | 'hint'; receiptId: string }
  /** In kebab-case; for the log, not for the sender. */
  | { refused: string };

export interface Verifier {
  verify(delivery: Delivery): Verdict;
}

/** Without a secret, or for `ip` without a list, every webhook is refused. */
export function createVerifier(settings: WebhookSettings): Verifier {
  const isListed = settings.ips.length === 0 ? undefined : ipList(settings.ips);
  const scheme =
    settings.scheme === 'ip' || settings.secrets.length === 0 ? undefined : SIGNED[settings.scheme](settings);
  if (scheme === undefined && !(settings.scheme === 'ip' && isListed !== undefined)) {
    return { verify: () => ({ refused: 'unconfigured' }) };
  }
  return {
    verify(delivery) {
      if (isListed?.(delivery.remoteAddress) === false) return { refused: 'sender-not-listed' };
      try {
        const messageId = scheme?.(delivery);
        const trust = scheme === undefined ? 'hint' : 'verified';
        return { trust, receiptId: receiptOf(settings.scheme, messageId, delivery.body) };
      } catch (error) {
        if (error instanceof Refusal) return { refused: error.reason };
        throw error;
      }
    },
  };
}

const SIGNED: Readonly<Record<Exclude<WebhookSettings['scheme'], 'ip'>, (settings: WebhookSettings) => Scheme>> = {
  'standard-webhooks': standardWebhook,
  'hmac-sha256': signedByHeader,
};

/** With the digest, no event is lost if a sender uses an id twice. */
function receiptOf(scheme: string, messageId: string | undefined, body: Buffer): string {
  const digest = hash('sha256', body);
  return [scheme, ...(messageId === undefined ? [] : [messageId]), digest].join('/');
}
