import { v7 } from 'uuid';
import type { Upload } from '../upload.ts';

export interface PendingUpload {
  id: string;
  upload: Upload;
  /** Name of its maker; undefined if names are believed. */
  owner: string | undefined;
  /** Id of its future batch, so that confirming it twice makes one batch. */
  batchId: string;
  until: number;
}

const LIFE_MS = 3_600_000;
const PENDING_MAX = 50;

/** Files between submission and confirmation, on the disk of one gateway. Disposing removes them. */
export class PendingUploads implements AsyncDisposable {
  readonly #held = new Map<string, PendingUpload>();

  async hold(upload: Upload, owner: string | undefined, now: number): Promise<PendingUpload> {
    const over = [...this.#held.values()].filter(({ until }, n) => until <= now || this.#held.size - n >= PENDING_MAX);
    for (const { id } of over) await this.drop(id);
    const held = { id: v7(), upload, owner, batchId: v7(), until: now + LIFE_MS };
    this.#held.set(held.id, held);
    return held;
  }

  /** Undefined if it is gone or belongs to somebody else. */
  find(id: string, owner: string | undefined, now: number): PendingUpload | undefined {
    const held = this.#held.get(id);
    return held !== undefined && held.owner === owner && held.until > now ? held : undefined;
  }

  async drop(id: string): Promise<void> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    await held?.upload[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#held.keys()]) await this.drop(id);
  }
}
