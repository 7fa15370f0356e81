import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** A value that reaches no log, error text or JSON by accident; only `reveal()` gives it out. */
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
