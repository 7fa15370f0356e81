import { createHmac, randomBytes } from 'node:crypto';

/**
 * Tells whether a text that may not be kept is the one seen before. Key and seals are in memory only: a seal in a file
 * would let a card number be found by trying them all. After a restart nothing is known any more.
 */
export class Seals {
  readonly #key = randomBytes(32);
  readonly #seals = new Map<string, string>();

  put(id: string, text: string): void {
    this.#seals.set(id, this.#sealOf(text));
  }

  /** False when another text was put under `id`; true when none was. */
  fits(id: string, text: string): boolean {
    const seal = this.#seals.get(id);
    return seal === undefined || seal === this.#sealOf(text);
  }

  #sealOf(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}
