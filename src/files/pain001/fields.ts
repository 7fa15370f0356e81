/** The values of a part of a message, by path: `Amt/InstdAmt`, `Amt/InstdAmt/@Ccy`. */
export class Fields {
  private readonly values = new Map<string, string[]>();

  add(path: string, text: string): void {
    // A substring keeps the whole string in memory: here a chunk of the file for each id that is kept.
    const own = Buffer.from(text).toString();
    const known = this.values.get(path);
    if (known === undefined) this.values.set(path, [own]);
    else known.push(own);
  }

  /** The first value as written, with its blanks. */
  raw(path: string): string | undefined {
    return this.values.get(path)?.[0];
  }

  /** The value of the first of these paths that has one, trimmed; blank means absent. */
  one(...paths: readonly string[]): string | undefined {
    for (const path of paths) {
      const text = this.raw(path)?.trim();
      if (text !== undefined && text !== '') return text;
    }
    return undefined;
  }

  /** All values of these paths, trimmed, without blank ones. */
  all(...paths: readonly string[]): string[] {
    return paths.flatMap((path) => this.values.get(path) ?? []).flatMap((text) => text.trim() || []);
  }

  /** Whether there is any value below this element. */
  has(path: string): boolean {
    return [...this.values.keys()].some((name) => name.startsWith(`${path}/`));
  }
}
