import { createHmac, randomBytes } from 'node:crypto';

/**
 * Compares a text that must not be stored with an earlier one. Key and seals are only in memory: from a stored seal, a card
 * number could be found by trying all. After a restart, nothing is known.
 */
export class Seals {
  readonly #key = randomBytes(32);
  readonly #seals = new Map<string, string>();

  put(id: string, text: string): void {
    this.#seals.set(id, this.#sealOf(text));
  }

  /** False if another text was put under `id`; true also if none was. */
  fits(id: string, text: string): boolean {
    const seal = this.#seals.get(id);
    return seal === undefined || seal === this.#sealOf(text);
  }

  #sealOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}
