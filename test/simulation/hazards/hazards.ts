import type { FaultMix } from '../bank/faults.ts';
import type { CacheKind } from '../bank/list-cache.ts';
import type { BankProfile } from '../bank/profile.ts';
import type { Random } from '../random.ts';

/** What no protocol between us and the bank rules out, and what no two reads of the bank show at the time. */
export const HAZARDS = [
  'late-execution',
  'repairs',
  'executed-refusals',
  'foreign-lists',
  'stale-lists',
  'short-lists',
  'drift',
  'spelling',
  'renumbering',
  'ids-of-others',
  'coinciding-tenants',
  'rollback',
  'copied-home',
  'second-folder',
] as const;
export type Hazard = (typeof HAZARDS)[number];

/** Those that can come together with another one. */
const OF_THE_BANK: readonly Hazard[] = ['late-execution', 'repairs', 'executed-refusals', 'drift', 'spelling'];
/** Those in which more than one machine or store is about: each alone. */
const OF_MACHINES: ReadonlySet<Hazard> = new Set(['coinciding-tenants', 'rollback', 'copied-home', 'second-folder']);

export function drawHazards(random: Random, asked: Hazard | undefined): ReadonlySet<Hazard> {
  const first = asked ?? random.pick(HAZARDS);
  const isAlone = OF_MACHINES.has(first) || !random.chance(0.3);
  return new Set(isAlone ? [first] : [first, random.pick(OF_THE_BANK)]);
}

export const isOfMachines = (hazards: ReadonlySet<Hazard>): boolean =>
  [...hazards].some((hazard) => OF_MACHINES.has(hazard));

/** Where the first home goes back in time nobody would ask again for what it has forgotten. */
export const mayBePaidAgain = (hazards: ReadonlySet<Hazard>): boolean =>
  !hazards.has('rollback') && !hazards.has('coinciding-tenants');

export function cacheOf(hazards: ReadonlySet<Hazard>): CacheKind | undefined {
  if (hazards.has('foreign-lists')) return 'foreign';
  if (hazards.has('stale-lists')) return 'stale';
  return hazards.has('short-lists') ? 'short' : undefined;
}

/** How the bank of a seed with hazards differs. Most of them hurt only where it recognises no reference. */
export function hazardousProfile(hazards: ReadonlySet<Hazard>, random: Random): Partial<BankProfile> {
  if (hazards.size === 0) return {};
  const reportsTime = random.chance(0.5);
  const cache = hazards.has('stale-lists') ? { reportsTime, reportsCacheAge: !reportsTime || random.chance(0.5) } : {};
  return {
    ...(random.chance(0.7) && { dedupe: 'none' }),
    ...(hazards.has('executed-refusals') && { executesRefused: 0.2 + random.next() * 0.5 }),
    ...(hazards.has('renumbering') && { renumbers: 0.8, redirects: random.chance(0.3) }),
    ...(hazards.has('ids-of-others') && { answersOthersId: 0.5 }),
    ...(hazards.has('spelling') && { spelling: random.pick(['upper-case', 'cut'] as const), foldsCase: 0, alters: 0 }),
    ...(hazards.has('repairs') && {
      ends: { failed: 0.4, rejected: 0.2, cancelled: 0, odd: 0, stuck: 0 },
      flips: 0,
    }),
    ...cache,
  };
}

/** Answers that are lost, for what shows only when the bank has to be read. */
export function addHazardousFaults(hazards: ReadonlySet<Hazard>, faults: FaultMix, random: Random): void {
  const add = (kind: Parameters<FaultMix['write']['set']>[0], most: number): void => {
    faults.write.set(kind, Math.max(faults.write.get(kind) ?? 0, most * random.next()));
  };
  if (hazards.has('late-execution')) {
    // Inside the window, and long after it.
    add('commit-late', 0.4);
    add('commit-after-window', 0.8);
  }
  if (cacheOf(hazards) !== undefined || hazards.has('spelling')) {
    if (hazards.has('spelling')) add('drop-before', 0.3);
    add('drop-after', 0.6);
    add('commit-late', 0.4);
  }
}
