import { Agent } from 'undici';
import { lookupPublic, PrivateAddress } from '../../bank/private-addresses.ts';
import { signedHeaders } from '../../bank/webhooks/standard-webhooks.ts';
import { type DeliveryOutcome, outcomeOf, retryAfter } from '../../domain/events-out.ts';
import type { WebhookReceiver } from '../../platform/config/events.ts';
import type { CloudEvent } from './cloud-event.ts';

/** From connecting to the end of the answer. */
export const ANSWER_WITHIN_MS = 15_000;
/** Answers are not read; the connection is closed after a longer one. */
const ANSWER_BYTES_MAX = 65_536;

export interface WebhookEndpoint {
  /** One POST, without retries or redirects. Never throws. */
  send(event: CloudEvent): Promise<DeliveryOutcome>;
  /** Aborts what is under way. */
  close(): Promise<void>;
}

/** Signs and sends events to one receiver, over persistent connections. */
export function webhookEndpoint({ url, secrets, privateNetwork }: WebhookReceiver, now: () => number): WebhookEndpoint {
  const { origin, pathname, search, hostname } = new URL(url);
  const isHere = hostname === 'localhost';
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: ANSWER_WITHIN_MS, ...(privateNetwork || isHere ? {} : { lookup: lookupPublic }) },
  });
  return {
    async send(event) {
      const at = now();
      const body = Buffer.from(JSON.stringify(event));
      try {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          headers: {
            'content-type': 'application/cloudevents+json; charset=utf-8',
            'user-agent': 'durable-payouts',
            ...signedHeaders(secrets.reveal(), { id: event.id, at, body }),
          },
          body,
          signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        });
        // The status is what counts, whatever happens to the body.
        await answer.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => {});
        const after = answer.headers['retry-after'];
        return outcomeOf(answer.statusCode, retryAfter(typeof after === 'string' ? after : undefined, at));
      } catch (error) {
        return { kind: 'unavailable', why: whyOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

/** A code instead of the HTTP client's message, which can contain parts of the answer. */
function whyOf(error: unknown): string {
  if (error instanceof PrivateAddress) return 'private-address';
  if (error instanceof Error && error.name === 'TimeoutError') return 'no-answer-in-time';
  const code = error instanceof Error && 'code' in error ? `${error.code}` : '';
  if (/CERT|TLS|SSL|ALTNAME|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return 'tls-refused';
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'name-not-found';
  return 'not-reached';
}
