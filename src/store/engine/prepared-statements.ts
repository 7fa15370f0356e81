/** A statement for pg; a named one is parsed and planned once per connection. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

/** Upper bound of plans kept per connection. */
const STATEMENTS_MAX = 300;
/** Longer value lists rarely recur with the same length, and their plans are large. */
const VALUES_MAX = 40;

/**
 * Names for the prepared statements of this process. PostgreSQL refuses one whose result shape changed because another build
 * added a column (0A000). A pooler that assigns connections per transaction may not know the name (26000), or know it already
 * (42P05).
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #prepared = 0;
  #isOff = false;

  named({ text, values }: Statement): Statement {
    if (this.#isOff || values === undefined || values.length === 0 || values.length > VALUES_MAX)
      return { text, values };
    const name = this.#names.get(text) ?? this.#newName(text);
    return name === undefined ? { text, values } : { text, values, name };
  }

  /** Call after a refusal because of a name: statements then get new names, or none. */
  refused(error: unknown): void {
    this.#names.clear();
    if (!hasOtherShape(error)) this.#isOff = true;
  }

  #newName(text: string): string | undefined {
    if (this.#names.size >= STATEMENTS_MAX) return undefined;
    this.#prepared += 1;
    const name = `payouts-${this.#prepared}`;
    this.#names.set(text, name);
    return name;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Several errors share this code; only this one is about a plan. */
const hasOtherShape = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as Error).message.includes('cached plan');

/** Whether a statement was refused because of its name; without one it works, in a new transaction if it was in one. */
export const isNameRefused = (error: unknown): boolean =>
  hasOtherShape(error) || codeOf(error) === '26000' || codeOf(error) === '42P05';
