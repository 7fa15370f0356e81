import { v7 } from 'uuid';
import type { Upload } from '../upload.ts';

/** A file that somebody has handed over and not agreed to yet. */
export interface HeldUpload {
  id: string;
  upload: Upload;
  /** Whose it is, by name; undefined where names are believed. */
  owner: string | undefined;
  /** Of the batch that it becomes: agreed to twice, it is one all the same. */
  batchId: string;
  until: number;
}

const LIFE_MS = 3_600_000;
const HELD_MAX = 50;

/** Files between being handed over and being agreed to, on the disk of one gateway. Disposing of it removes them. */
export class HeldUploads implements AsyncDisposable {
  readonly #held = new Map<string, HeldUpload>();

  async hold(upload: Upload, owner: string | undefined, now: number): Promise<HeldUpload> {
    const over = [...this.#held.values()].filter(({ until }, n) => until <= now || this.#held.size - n >= HELD_MAX);
    for (const { id } of over) await this.drop(id);
    const held = { id: v7(), upload, owner, batchId: v7(), until: now + LIFE_MS };
    this.#held.set(held.id, held);
    return held;
  }

  /** Undefined for one that there is not any more, or that is somebody else's. */
  find(id: string, owner: string | undefined, now: number): HeldUpload | undefined {
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
