import { createHmac, randomBytes } from 'node:crypto';
import { catchUp } from '../catch-up.ts';
import { draw } from '../draw.ts';
import type { Sandbox } from '../sandbox.ts';
import { claimDue, type DeliveryRow, type Endpoint, endpointOf, noteAttempt, returnDelivery } from './webhooks.ts';

interface OutgoingWebhook {
  eventId: string;
  body: Buffer;
  /** Epoch milliseconds of the signature. */
  at: number;
  /** Sign with a key other than the endpoint's. */
  forged: boolean;
}

/** Headers that authenticate a webhook; the schemes are our choice, since the interface shows none (section 6). */
export function signatureHeaders(
  { secret, scheme }: Pick<Endpoint, 'secret' | 'scheme'>,
  { eventId, body, at, forged }: OutgoingWebhook,
): Record<string, string> {
  const key = forged ? randomBytes(32) : keyOf(secret);
  switch (scheme) {
    case 'none':
      return {};
    case 'hmac-sha256':
      return { 'x-signature': hmac(key, body).toString('hex') };
    case 'standard-webhooks': {
      const seconds = Math.floor(at / 1_000);
      const signed = Buffer.concat([Buffer.from(`${eventId}.${seconds}.`), body]);
      return {
        'webhook-id': eventId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${hmac(key, signed).toString('base64')}`,
      };
    }
  }
}

const PREFIX = 'whsec_';

const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8');

const hmac = (key: Buffer, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest();

/** Time limit for the receiver. */
const ANSWER_WITHIN_MS = 5_000;
/** After this, an attempt without a recorded result was lost with its sandbox. */
const LEASE_MS = ANSWER_WITHIN_MS + 1_000;
const AT_ONCE = 16;
/** Upper limit of the timer: the clock may have been advanced meanwhile. */
const POLL_MS = 60_000;

/**
 * Sends due webhooks, and makes the steps that lead to them, without a request: the sandbox's only timer. Attempts end with HTTP
 * 200 or after the endpoint's retries.
 */
export class WebhookSender {
  readonly #sandbox: () => Sandbox;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sandbox: () => Sandbox) {
    this.#sandbox = sandbox;
  }

  /** To be called when something may be due earlier than before. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted || this.#underWay.size >= AT_ONCE) return;
    const { books, lateCommits } = this.#sandbox();
    const { db } = books;
    const delivery = endpointOf(db) === undefined ? undefined : db.nextDueAt('webhook_deliveries');
    const due = [delivery, db.nextDueAt('card_payments'), lateCommits.nextAt].filter((at) => at !== undefined);
    if (due.length === 0) return;
    const wait = Math.min(...due) - books.now();
    this.#timer = setTimeout(() => this.#work(), Math.min(Math.max(wait, 0), POLL_MS)).unref();
  }

  /** Aborts attempts under way; resolves when nothing uses the books any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#underWay);
  }

  #work(): void {
    const sandbox = this.#sandbox();
    const { db, now } = sandbox.books;
    catchUp(sandbox);
    const endpoint = endpointOf(db);
    if (endpoint !== undefined) {
      const at = now();
      const limit = AT_ONCE - this.#underWay.size;
      for (const delivery of claimDue(db, { now: at, leaseUntil: at + LEASE_MS, limit })) {
        const attempt = this.#attempt(sandbox, endpoint, delivery).finally(() => {
          this.#underWay.delete(attempt);
          this.wake();
        });
        this.#underWay.add(attempt);
      }
    }
    this.wake();
  }

  async #attempt({ books, clock }: Sandbox, endpoint: Endpoint, delivery: DeliveryRow): Promise<void> {
    const httpStatus = await this.#post(endpoint, delivery, clock.base());
    const { seq, attempts } = delivery;
    if (httpStatus === null && this.#stopping.signal.aborted) returnDelivery(books.db, seq, books.now());
    else if (httpStatus === 200) noteAttempt(books.db, { seq, status: 'delivered', httpStatus, dueAt: null });
    else if (Number(attempts) >= endpoint.retries) {
      noteAttempt(books.db, { seq, status: 'given-up', httpStatus, dueAt: null });
    } else {
      const dueAt = books.now() + retryWait(endpoint, delivery);
      noteAttempt(books.db, { seq, status: 'pending', httpStatus, dueAt });
    }
  }

  /** HTTP status of the answer; null: there was none. */
  async #post(endpoint: Endpoint, { event_id, body: text, forged }: DeliveryRow, at: number): Promise<number | null> {
    const body = Buffer.from(text);
    const signed = signatureHeaders(endpoint, { eventId: event_id, body, at, forged: forged === 1n });
    try {
      const response = await fetch(endpoint.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return null;
    }
  }
}

/** Exponential, with jitter, so that deliveries that failed together are not repeated together. */
function retryWait({ firstRetryMs, seed }: Endpoint, { event_id, attempts }: DeliveryRow): number {
  const full = firstRetryMs * 2 ** Number(attempts);
  return Math.ceil(full * (1 - draw(seed, event_id, Number(attempts)) / 2));
}
