import { v7 } from 'uuid';
import { FILE_BYTES_MAX } from '../../files/input.ts';
import type { Upload } from '../http/upload.ts';

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
/** Of one person: a person who submits more loses their own oldest ones. */
const COUNT_MAX = 10;
const BYTES_MAX = 2 * FILE_BYTES_MAX;

/** Files between submission and confirmation, on the disk of one gateway. Disposing removes them. */
export class PendingUploads implements AsyncDisposable {
  readonly #held = new Map<string, PendingUpload>();

  async hold(upload: Upload, owner: string | undefined, now: number): Promise<PendingUpload> {
    const held = { id: v7(), upload, owner, batchId: v7(), until: now + LIFE_MS };
    this.#held.set(held.id, held);
    let [count, bytes] = [0, 0];
    for (const { id, until, ...it } of [...this.#held.values()].reverse()) {
      if (it.owner === owner) {
        count += 1;
        bytes += it.upload.bytes;
      }
      const isTooMuch = it.owner === owner && (count > COUNT_MAX || bytes > BYTES_MAX);
      if (until <= now || isTooMuch) await this.drop(id);
    }
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
