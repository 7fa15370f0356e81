import type { Random } from '../random.ts';

/** What can go wrong with one write. `after`: the bank has executed it; `before`: it has not and never will. */
const WRITE_FAULTS = [
  'refuse-connect',
  'slow-connect',
  'drop-before',
  'drop-after',
  'hang-before',
  'answer-late',
  'commit-late',
  'commit-late-html',
  'html-before',
  'html-after',
  'truncated-before',
  'truncated-after',
  'garbled-after',
  '2001-before',
  '2001-after',
  '2008-before',
  '2008-after',
  '2011-before',
  '2011-after',
  'unknown-code-before',
  'unknown-code-after',
  '5xx-refusal-before',
  '5xx-refusal-after',
  'no-order-id-before',
  'no-order-id-after',
  'unauthorized',
  'too-many',
  'redirect',
] as const;
/** `commit-after-window`: executed so late that it was proven absent by then; only where a seed is about that. */
export type WriteFault = (typeof WRITE_FAULTS)[number] | 'commit-after-window';

const READ_FAULTS = [
  'refuse-connect',
  'drop',
  'slow',
  'html',
  'truncated',
  'code-2001',
  'code-2011',
  'unauthorized',
  'too-many',
] as const;
export type ReadFault = (typeof READ_FAULTS)[number];

/** Faults beside the network. */
const OTHER_FAULTS = [
  'store-before',
  'store-after',
  'temporal-unreachable',
  'crash',
  'pause',
  'reset',
  'terminate',
] as const;
export type OtherFault = (typeof OTHER_FAULTS)[number];

/** Two levels: each kind is on or off for a seed, then happens at a rate. A kind that is off has no rate. */
export interface FaultMix {
  write: Map<WriteFault, number>;
  read: Map<ReadFault, number>;
  token: Map<ReadFault, number>;
  other: Map<OtherFault, number>;
}

export function drawFaults(random: Random): FaultMix {
  const some = <Kind extends string>(kinds: readonly Kind[], share: number, most: number): Map<Kind, number> =>
    new Map(kinds.filter(() => random.chance(share)).map((kind) => [kind, most * random.next()]));
  // Few kinds at high rates and many at low ones are different worlds.
  const share = random.pick([0, 0.1, 0.3, 0.6]);
  return {
    write: some(WRITE_FAULTS, share, random.pick([0.1, 0.3, 1])),
    read: some(READ_FAULTS, random.pick([0, 0.2, 0.5]), random.pick([0.02, 0.1, 0.3])),
    token: some(READ_FAULTS, random.pick([0, 0, 0.3]), 0.2),
    other: some(OTHER_FAULTS, random.pick([0, 0.3, 0.6]), 1),
  };
}

/** The fault of one request, if it has one. */
export function drawFault<Kind extends string>(random: Random, mix: ReadonlyMap<Kind, number>): Kind | undefined {
  for (const [kind, rate] of mix) if (random.chance(rate)) return kind;
  return undefined;
}
