interface Kept {
  bytes: Buffer;
  timer: NodeJS.Timeout;
  expiresAt: number;
}

/**
 * Values that are overwritten with zeros when they are deleted or expire. Between uses, a value exists only here, as bytes.
 * Strings decoded for a use cannot be overwritten; they go with the next garbage collection.
 */
export class WipedEntries<Value> {
  readonly #kept = new Map<string, Kept>();
  readonly #lifeMs: number;
  readonly #now: () => number;
  readonly #onWiped: (key: string) => void;

  constructor(lifeMs: number, now: () => number, onWiped: (key: string) => void = () => {}) {
    this.#lifeMs = lifeMs;
    this.#now = now;
    this.#onWiped = onWiped;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Returns the expiry time (epoch ms). */
  set(key: string, value: Value): number {
    this.delete(key);
    const text = JSON.stringify(value);
    // Not from the buffer pool, whose memory is shared.
    const bytes = Buffer.alloc(Buffer.byteLength(text));
    bytes.write(text);
    const timer = setTimeout(() => this.delete(key), this.#lifeMs).unref();
    const expiresAt = this.#now() + this.#lifeMs;
    this.#kept.set(key, { bytes, timer, expiresAt });
    return expiresAt;
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    // After the machine has slept, timers fire late.
    if (this.#now() < kept.expiresAt) return JSON.parse(kept.bytes.toString());
    this.delete(key);
    return undefined;
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    clearTimeout(kept.timer);
    kept.bytes.fill(0);
    this.#kept.delete(key);
    this.#onWiped(key);
  }

  deleteOldest(): void {
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  clear(): void {
    for (const key of [...this.#kept.keys()]) this.delete(key);
  }
}
