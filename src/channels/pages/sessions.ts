import { randomBytes } from 'node:crypto';
import { tokenSha256 } from '../http/callers.ts';

export interface Session {
  /** Of the person. */
  name: string;
  /** Id of the passkey that opened it. */
  credential: string;
  openedAt: number;
  seenAt: number;
}

/** A session ends after this long without a request. */
const IDLE_MS = 30 * 60_000;
/** A session ends after this long in any case. */
export const LONGEST_MS = 12 * 3_600_000;
const TOKEN_BYTES = 32;

/**
 * Open sessions, in the memory of one gateway, so that a closed one is closed at once. Only hashes of tokens are kept. Times are
 * epoch ms.
 */
export class Sessions {
  readonly #kept = new Map<string, Session>();

  open(of: Pick<Session, 'name' | 'credential'>, now: number): string {
    for (const [key, session] of this.#kept) if (isOver(session, now)) this.#kept.delete(key);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#kept.set(tokenSha256(token), { ...of, openedAt: now, seenAt: now });
    return token;
  }

  find(token: string, now: number): Session | undefined {
    const session = this.#kept.get(tokenSha256(token));
    return session === undefined || isOver(session, now) ? undefined : session;
  }

  /** Called for every request in the session. */
  prolong(token: string, now: number): void {
    const session = this.#kept.get(tokenSha256(token));
    if (session !== undefined) session.seenAt = now;
  }

  close(token: string): void {
    this.#kept.delete(tokenSha256(token));
  }
}

const isOver = ({ openedAt, seenAt }: Session, now: number): boolean =>
  now - seenAt > IDLE_MS || now - openedAt > LONGEST_MS;
