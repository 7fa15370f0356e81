import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** A value that cannot get into logs, error texts or JSON by accident; only `reveal()` returns it. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toJSON(): string {
    return REDACTED;
  }

  toString(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
