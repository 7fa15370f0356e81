import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * Writes a file atomically: temporary file, fsync, rename. No reader or crash ever sees half of it. Only the owner may read it
 * (0600), since it contains amounts. Disposing before `put` removes it.
 */
export async function wholeFile(path: string) {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx+', 0o600);
  let text = '';
  const flush = async (): Promise<void> => {
    const held = text;
    text = '';
    if (held !== '') await file.writeFile(held);
  };
  return {
    async write(piece: string): Promise<void> {
      text += piece;
      if (text.length >= WRITTEN_AT_ONCE) await flush();
    },

    /** The text written so far, from the beginning. */
    async *pieces(): AsyncGenerator<string> {
      await flush();
      yield* file.createReadStream({ start: 0, encoding: 'utf8', autoClose: false });
    },

    /** Moves the file to its path. */
    async put(): Promise<void> {
      await flush();
      await file.sync();
      await file.close();
      await rename(temporary, path);
      await using folder = await open(dirname(path), 'r');
      await folder.sync();
    },

    async [Symbol.asyncDispose](): Promise<void> {
      await file.close();
      await rm(temporary, { force: true });
    },
  };
}
