type Close = () => void | PromiseLike<void>;

/**
 * What somebody has opened and closes together, the last first: the part of `AsyncDisposableStack` that is used here, since Node 22
 * has none.
 */
export class OpenedParts implements AsyncDisposable {
  private closes: Close[] = [];
  private isClosed = false;

  /** Closes this value with `close`; returns it. */
  adopt<T>(value: T, close: (value: T) => void | PromiseLike<void>): T {
    this.defer(() => close(value));
    return value;
  }

  use(part: AsyncDisposable): void {
    this.defer(() => part[Symbol.asyncDispose]());
  }

  /** Throws when everything has been closed or moved: what is opened too late would stay open. */
  defer(close: Close): void {
    if (this.isClosed) throw new ReferenceError('the parts are closed already');
    this.closes.push(close);
  }

  /** Hands everything over to another owner; this one closes nothing any more. */
  move(): OpenedParts {
    const moved = new OpenedParts();
    [moved.closes, this.closes, this.isClosed] = [this.closes, [], true];
    return moved;
  }

  /** Closes everything, once. Throws what a close has thrown, or an `AggregateError` of several, after the last. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    const errors: unknown[] = [];
    for (const close of this.closes.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed');
    if (errors.length === 1) throw errors[0];
  }
}
