import { drawHazards, type Hazard, mayBePaidAgain } from './hazards/hazards.ts';
import { Random } from './random.ts';

/** Which of the worlds a seed is set in, in which more than one store, bank or caller is about. */
export interface Worlds {
  /** Every worker has one of two stores; only the first one has the rows that a batch has claimed. */
  twoStores: boolean;
  /** The store is replaced by an older copy of itself. `marked`: the store is marked, as the product's own restore does. */
  olderCopy: 'marked' | 'unmarked' | undefined;
  /** Some workers have a key that sees another customer of the bank, at the same address. */
  otherTenant: boolean;
  /** How far the bank's clock is from ours, in ms, when that is further than the product allows. */
  clockApartMs: number | undefined;
  /** That clock is set right, once, while orders are being sent. */
  clockSetRight: boolean;
  /** Workflows of somebody else schedule the product's activities and start its workflows. */
  rogues: boolean;
  /** Terminated payouts are found and started again by the product's own passes, not by people. */
  passes: boolean;
  /** Documents are asked for again under the next generation. */
  generations: boolean;
  /** Rows of a batch that sell another currency wait for one exchange, which buys for all of them. */
  sharedExchanges: boolean;
  /** People, and the bank, act in the moment in which a payout asks something; drawn by nobody, asked for by `--at-once`. */
  atOnce: boolean;
  /** What the bank, the caches before it and the machines do that no protocol rules out. */
  hazards: ReadonlySet<Hazard>;
}

/** As far as the local time of a zone may be behind, in minutes. */
const ZONE_MINUTES = 12 * 60;

const USUAL: Worlds = {
  twoStores: false,
  olderCopy: undefined,
  otherTenant: false,
  clockApartMs: undefined,
  clockSetRight: false,
  rogues: false,
  passes: false,
  generations: false,
  sharedExchanges: false,
  atOnce: false,
  hazards: new Set(),
};

/** Share of seeds in which batches exchange once, of those with one store, one bank and one clock. */
const SHARING = 0.3;

function drawWorlds(seed: number, random: Random): Worlds {
  const rogues = random.chance(0.15);
  const dice = random.next();
  if (dice < 0.1) return { ...USUAL, rogues, twoStores: true };
  if (dice < 0.22) return { ...USUAL, rogues, passes: true, olderCopy: random.pick(['marked', 'unmarked']) };
  if (dice < 0.34) return { ...USUAL, rogues, otherTenant: true };
  if (dice < 0.42) {
    // Behind by more than a zone's local time may be, which reads allow for, whatever clock the bank shows.
    const behind = -ZONE_MINUTES;
    const minutes = random.pick([
      behind - 15,
      behind - 15,
      15,
      behind + random.between(-90, -12),
      random.between(12, 90),
    ]);
    return { ...USUAL, rogues, clockApartMs: minutes * 60_000, clockSetRight: random.chance(0.5) };
  }
  const plain = { ...USUAL, rogues, passes: random.chance(0.3), generations: random.chance(0.2) };
  return { ...plain, sharedExchanges: new Random(seed ^ 0x3c6ef372).chance(SHARING) };
}

/** A seed of the worlds with hazards, or of one of them: what has ended is compared with the bank, and paid again by people. */
function drawHazardousWorlds(seed: number, asked: Hazard | undefined): Worlds {
  const random = new Random(seed ^ 0x5bd1e995);
  const hazards = drawHazards(random, asked);
  const generations = mayBePaidAgain(hazards) && random.chance(0.85);
  return { ...USUAL, hazards, generations, passes: true, otherTenant: hazards.has('coinciding-tenants') };
}

/** Share of seeds that have hazards without being asked for them. */
const HAZARDOUS = 0.25;

/** `asked`: a hazard that the seed has, or `any`; the draws of `random` do not depend on it, nor on `fixed` worlds without one. */
export function worldsOf(
  seed: number,
  random: Random,
  asked: Hazard | 'any' | undefined,
  fixed?: Partial<Worlds>,
): Worlds {
  const drawn = drawWorlds(seed, random);
  if (asked === undefined && fixed !== undefined) return { ...USUAL, ...fixed };
  if (asked === undefined && !new Random(seed ^ 0x27d4eb2f).chance(HAZARDOUS)) return drawn;
  return drawHazardousWorlds(seed, asked === 'any' ? undefined : asked);
}
