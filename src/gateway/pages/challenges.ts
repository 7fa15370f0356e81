import { randomBytes } from 'node:crypto';

const CHALLENGE_BYTES = 32;
const LIFE_MS = 5 * 60_000;
/** Anybody may ask for one: the oldest goes where there are more. */
const KEPT_MAX = 10_000;

/** Challenges that passkeys are to answer, each once. */
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

  /** False for one that was not issued, was used before, or is too old. */
  use(challenge: string, now: number): boolean {
    const until = this.#until.get(challenge);
    this.#until.delete(challenge);
    return until !== undefined && until > now;
  }
}
