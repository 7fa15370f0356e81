import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Access tokens, in memory: after a restart every client authenticates again. */
export class Tokens {
  readonly #secretHash: Buffer;
  readonly #lifeSeconds: number;
  readonly #now: () => number;
  /** Token -> expiry, epoch milliseconds. */
  readonly #expiry = new Map<string, number>();

  constructor(options: { apiKey: string; apiSecret: string; lifeSeconds: number; now: () => number }) {
    this.#secretHash = hashOf(options.apiKey, options.apiSecret);
    this.#lifeSeconds = options.lifeSeconds;
    this.#now = options.now;
  }

  /** `undefined` if key or secret is wrong. */
  issue(apiKey: string, apiSecret: string): { access_token: string; expired_in: number } | undefined {
    if (!timingSafeEqual(hashOf(apiKey, apiSecret), this.#secretHash)) return undefined;
    const now = this.#now();
    for (const [token, expiry] of this.#expiry) if (expiry <= now) this.#expiry.delete(token);
    const token = randomBytes(24).toString('base64url');
    this.#expiry.set(token, now + this.#lifeSeconds * 1_000);
    return { access_token: token, expired_in: this.#lifeSeconds };
  }

  /** `header`: the Authorization header, the token alone or after `Bearer `. */
  accepts(header: string | undefined): boolean {
    const expiry = this.#expiry.get((header ?? '').replace(/^Bearer +/i, ''));
    return expiry !== undefined && this.#now() < expiry;
  }
}

const hashOf = (apiKey: string, apiSecret: string): Buffer =>
  hash('sha256', JSON.stringify([apiKey, apiSecret]), 'buffer');
