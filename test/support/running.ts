/** How a command ended and what it printed. */
export interface Ended {
  /** null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A command that is under way. */
export interface Running {
  ended: Promise<Ended>;
  /** Resolves as soon as stderr and stdout together match; rejects when the command ends before. */
  says(pattern: RegExp): Promise<void>;
  /** All that it has printed on stdout so far. */
  printed(): string;
  kill(signal: NodeJS.Signals): void;
}

export type Printed = Pick<Ended, 'stdout' | 'stderr'>;

/** Collects what a command prints, for those who wait until it says something. */
export class Prints {
  readonly text: Printed = { stdout: '', stderr: '' };
  private readonly listeners = new Set<() => void>();

  add(to: keyof Printed, text: string): void {
    this.text[to] += text;
    for (const listener of this.listeners) listener();
  }

  /** `ended`: nothing more is printed then. */
  says(pattern: RegExp, ended: Promise<unknown>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = (): void => {
      if (pattern.test(this.text.stderr + this.text.stdout)) resolve();
    };
    this.listeners.add(check);
    check();
    const { text } = this;
    void ended.then(() => reject(new Error(`ended without saying ${pattern}: ${text.stderr}${text.stdout}`)), reject);
    return promise.finally(() => this.listeners.delete(check));
  }
}
