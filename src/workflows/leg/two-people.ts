import { isSamePerson } from '../../domain/approval.ts';

/** What two people, each with evidence, may say beyond what the bank shows: the first is noted, the second settles it. */
export class TwoPeople {
  private readonly said = new Map<string, string>();

  /** Both names once somebody else has said the same before; undefined: noted. */
  agree(what: string, by: string): string | undefined {
    const first = this.said.get(what);
    if (first === undefined) this.said.set(what, by);
    return first === undefined || isSamePerson(first, by) ? undefined : `${first} and ${by}`;
  }

  /** Nobody has said anything that a new history would forget. */
  get isSilent(): boolean {
    return this.said.size === 0;
  }
}
