import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const WRITTEN_AT_ONCE = 256 * 1024;

/**
 * A file that is there whole or not at all: temp file, fsync, rename. A reader or a crash never meets half of one. Amounts are for
 * the owner only (0600). Whoever disposes of it before `put` leaves nothing behind.
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

  /** What was written so far, from its beginning. */
  async *pieces(): AsyncGenerator<string> {
    await this.#flush();
    yield* this.#file.createReadStream({ start: 0, encoding: 'utf8', autoClose: false });
  }

  /** Puts it in its place. */
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
