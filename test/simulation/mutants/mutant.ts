import type { Hazard } from '../hazards/hazards.ts';
import type { Worlds } from '../worlds.ts';

/** A bug that is planted into the product while it is loaded; the product itself holds no switch for it. */
export interface Mutant {
  /** Number in the money-safety rules (M1 to M16), or one of our own (P1 and on). */
  number: string;
  name: string;
  what: string;
  /** The hazard in whose worlds it shows; absent: it shows in any world. */
  hazard?: Hazard;
  /** The same for worlds without hazards. */
  worlds?: Partial<Worlds>;
  edits: Edit[];
}

interface Edit {
  /** From the project's root. */
  file: string;
  /** Found exactly once in the file. */
  find: string;
  replace: string;
}
