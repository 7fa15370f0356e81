import { isSamePerson } from '../../domain/authority.ts';

/**
 * What two people, each with evidence, may state beyond what the bank shows: the first statement is noted, the second settles it.
 */
export class TwoPeople {
  private readonly statements = new Map<string, string>();

  /** Both names if another person stated the same before; undefined: noted only. */
  agree(what: string, by: string): string | undefined {
    const first = this.statements.get(what);
    if (first === undefined) this.statements.set(what, by);
    return first === undefined || isSamePerson(first, by) ? undefined : `${first} and ${by}`;
  }

  /** Whether nothing was stated that a new history would forget. */
  get isSilent(): boolean {
    return this.statements.size === 0;
  }
}

/** What the first of them is told. */
export const noted = (why: string): string => `${why}: noted, and a second person with evidence may settle it`;
