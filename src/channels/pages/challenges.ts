import { randomBytes } from 'node:crypto';

const CHALLENGE_BYTES = 32;
const LIFE_MS = 5 * 60_000;
/** Anybody can request a challenge: beyond this number the oldest is dropped. */
const KEPT_MAX = 10_000;

/** Challenges for passkeys; each can be answered once. */
export class Challenges {
  readonly #until = new Map<string, number>();

  /** base64url */
  issue(now: number): string {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    this.#until.set(challenge, now + LIFE_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > KEPT_MAX && oldest !== undefined) this.#until.delete(oldest);
    return challenge;
  }

  /** False if it was not issued, was used before, or is too old. */
  use(challenge: string, now: number): boolean {
    const until = this.#until.get(challenge);
    this.#until.delete(challenge);
    return until !== undefined && until > now;
  }
}
