/** A statement as pg takes it; one with a name is parsed and planned once for each connection. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
}

/** A connection keeps the plans of no more than these. */
const STATEMENTS_MAX = 300;
/** A longer list of values is seldom as long again, and its plan is large. */
const VALUES_MAX = 40;

/**
 * Names for the statements of this process. PostgreSQL refuses a prepared one whose result has another shape since another build has
 * added a column (0A000); a pooler that hands out a connection for one transaction may not know the name (26000), or know it
 * already (42P05).
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

  /** After a refusal because of a name: from now on statements have other names, or none. */
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

/** Several refusals share the code; only this one concerns a plan. */
const hasOtherShape = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as Error).message.includes('cached plan');

/** Whether a statement was refused because of its name: without one it is not, in a new transaction if it was in one. */
export const isNameRefused = (error: unknown): boolean =>
  hasOtherShape(error) || codeOf(error) === '26000' || codeOf(error) === '42P05';
