import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * Writes a file atomically: temporary file, fsync, rename. No reader or crash ever sees half of it. Only the owner may read it
 * (0600), since it contains amounts. Disposing before `put` removes it.
 */
export class WholeFile implements AsyncDisposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: FileHandle;
  #text = '';

  private constructor(path: string, temporary: string, file: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  static async open(path: string): Promise<WholeFile> {
    const temporary = `${path}.${randomUUID()}.tmp`;
    return new WholeFile(path, temporary, await open(temporary, 'wx+', 0o600));
  }

  async write(piece: string): Promise<void> {
    this.#text += piece;
    if (this.#text.length >= WRITTEN_AT_ONCE) await this.#flush();
  }

  /** The text written so far, from the beginning. */
  async *pieces(): AsyncGenerator<string> {
    await this.#flush();
    yield* this.#file.createReadStream({ start: 0, encoding: 'utf8', autoClose: false });
  }

  /** Moves the file to its path. */
  async put(): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#temporary, this.#path);
    const folder = await open(dirname(this.#path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    await rm(this.#temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await this.#file.writeFile(text);
  }
}
