/** The values of one part of a message, by the names that lead to them: `Amt/InstdAmt`, and `Amt/InstdAmt/@Ccy`. */
export class Fields {
  private readonly values = new Map<string, string[]>();

  add(path: string, text: string): void {
    // A piece of a string keeps the whole of it alive: a chunk of the file for each id that somebody keeps.
    const own = Buffer.from(text).toString();
    const known = this.values.get(path);
    if (known === undefined) this.values.set(path, [own]);
    else known.push(own);
  }

  /** The first value as written, blanks and all. */
  raw(path: string): string | undefined {
    return this.values.get(path)?.[0];
  }

  /** The first value of the first of these that has one, trimmed; blank means absent. */
  one(...paths: readonly string[]): string | undefined {
    for (const path of paths) {
      const text = this.raw(path)?.trim();
      if (text !== undefined && text !== '') return text;
    }
    return undefined;
  }

  /** Every value of these, trimmed, blank ones left out. */
  all(...paths: readonly string[]): string[] {
    return paths.flatMap((path) => this.values.get(path) ?? []).flatMap((text) => text.trim() || []);
  }

  /** Whether any value lies below this element. */
  has(path: string): boolean {
    return [...this.values.keys()].some((name) => name.startsWith(`${path}/`));
  }
}
