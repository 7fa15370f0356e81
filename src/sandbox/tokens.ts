import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

export type Tokens = ReturnType<typeof tokensOf>;

/** Access tokens, in memory: after a restart every client authenticates again. */
export function tokensOf(options: { apiKey: string; apiSecret: string; lifeSeconds: number; now: () => number }) {
  const { lifeSeconds, now } = options;
  const secretHash = hashOf(options.apiKey, options.apiSecret);
  /** Token -> expiry, epoch milliseconds. */
  const expiries = new Map<string, number>();
  return {
    /** `undefined` if key or secret is wrong. */
    issue(apiKey: string, apiSecret: string): { access_token: string; expired_in: number } | undefined {
      if (!timingSafeEqual(hashOf(apiKey, apiSecret), secretHash)) return undefined;
      const at = now();
      for (const [token, expiry] of expiries) if (expiry <= at) expiries.delete(token);
      const token = randomBytes(24).toString('base64url');
      expiries.set(token, at + lifeSeconds * 1_000);
      return { access_token: token, expired_in: lifeSeconds };
    },

    /** `header`: the Authorization header, the token alone or after `Bearer `. */
    accepts(header: string | undefined): boolean {
      const expiry = expiries.get((header ?? '').replace(/^Bearer +/i, ''));
      return expiry !== undefined && now() < expiry;
    },
  };
}

const hashOf = (apiKey: string, apiSecret: string): Buffer =>
  hash('sha256', JSON.stringify([apiKey, apiSecret]), 'buffer');
