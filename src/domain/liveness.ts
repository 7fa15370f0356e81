import { CAUSES, type CauseName } from './causes.ts';
import { counted, minuteOf } from './display.ts';

/** Why a part does not answer, and since when (epoch ms). No text of the part itself. */
interface Outage {
  since: number;
  /** Null: its error says nothing that is known. */
  cause: CauseName | null;
}

/** Parts that workers ask, beside the store. */
export const ASKED_PARTS = ['bank', 'temporal'] as const;
export type AskedPart = (typeof ASKED_PARTS)[number];

export type Outages = Partial<Record<AskedPart, Outage>>;

/** What a worker last wrote of itself. */
export interface SignOfLife {
  aliveAt: number;
  /** When it ended by itself; null: it has not. */
  endedAt: number | null;
  /** Null: every part answers it. */
  outages: Outages | null;
}

/** Three signs of life missed. */
const SILENT_MS = 30_000;

/** Who works, and which parts do not answer them. */
export interface Liveness {
  workers: number;
  /** The last sign of life of any worker, epoch ms; null: there has been none. */
  lastSeenAt: number | null;
  outages: Outages;
}

/** A part is down if no worker is answered. What none of them has asked is not known. */
export function livenessOf(signs: readonly SignOfLife[], now: number): Liveness {
  const alive = signs.filter(({ aliveAt, endedAt }) => endedAt === null && Math.abs(now - aliveAt) < SILENT_MS);
  const outages: Outages = {};
  for (const part of ASKED_PARTS) {
    const seen = alive.map((sign) => sign.outages?.[part]);
    const [first] = seen.filter((outage) => outage !== undefined).sort((a, b) => b.since - a.since);
    if (first !== undefined && seen.every((outage) => outage !== undefined)) outages[part] = first;
  }
  const last = signs.map(({ aliveAt, endedAt }) => endedAt ?? aliveAt);
  return { workers: alive.length, lastSeenAt: last.length === 0 ? null : Math.max(...last), outages };
}

/** Something that keeps payouts from going on, in words. */
export interface Hindrance {
  part: AskedPart | 'workers';
  /** Goes on in a sentence about a payout. */
  says: string;
  who: string;
  todo: string;
  byItself: string;
}

const OPERATORS = 'those who run the workers';

const PARTS: Readonly<Record<AskedPart, string>> = { bank: 'the bank', temporal: 'Temporal' };
const ADDRESS: Readonly<Record<AskedPart, string>> = { bank: 'PAYOUTS_API_URL', temporal: 'TEMPORAL_ADDRESS' };

/** What is known of a cause: whether something answers there, and whether it may end without anybody changing a setting. */
const OUTAGE_KINDS: Readonly<Partial<Record<CauseName, { answers?: true; passes?: 'yes' | 'perhaps' }>>> = {
  'nothing-listens': { passes: 'yes' },
  silent: { passes: 'yes' },
  'closes-the-connection': { passes: 'yes' },
  'fails-itself': { answers: true, passes: 'yes' },
  'asks-for-fewer-calls': { answers: true, passes: 'yes' },
  // What a bank under maintenance answers too: nobody should change an address that was right.
  'answers-something-else': { answers: true, passes: 'perhaps' },
  redirects: { answers: true, passes: 'perhaps' },
  'wrong-path': { answers: true, passes: 'perhaps' },
  'key-refused': { answers: true },
  'token-missing': { answers: true },
  'token-repeated': { answers: true },
};

const didNot = (cause: CauseName | null): string =>
  cause !== null && OUTAGE_KINDS[cause]?.answers ? 'has given no usable answer' : 'has not answered';

function todoAbout(part: AskedPart, cause: CauseName | null): string {
  const passes = cause === null ? 'yes' : OUTAGE_KINDS[cause]?.passes;
  if (passes === 'yes') return 'Nothing.';
  const says = `\`payouts doctor\` says what to change (${ADDRESS[part]}).`;
  return passes === 'perhaps' ? `It may be under maintenance. If this lasts, ${says}` : says;
}

/** What is in the way of all payouts. `start`: the command that starts a worker. */
export function hindrancesOf({ workers, lastSeenAt, outages }: Liveness, start: string): Hindrance[] {
  if (workers === 0) {
    const since =
      lastSeenAt === null ? 'nobody has worked yet' : `nobody has been working since ${minuteOf(lastSeenAt)}`;
    return [
      { part: 'workers', says: since, who: OPERATORS, todo: `Start \`${start}\`.`, byItself: 'Nothing until then.' },
    ];
  }
  return ASKED_PARTS.flatMap((part): Hindrance[] => {
    const outage = outages[part];
    if (outage === undefined) return [];
    const cause = outage.cause === null ? undefined : CAUSES[outage.cause];
    const why = cause === undefined ? '' : ` (${cause.says})`;
    return [
      {
        part,
        says: `${PARTS[part]} ${didNot(outage.cause)} since ${minuteOf(outage.since)}${why}`,
        who: OPERATORS,
        todo: todoAbout(part, outage.cause),
        byItself: `It continues when ${PARTS[part]} answers.`,
      },
    ];
  });
}

/** The sentence above everything else. `waiting`: payouts that go on without people; undefined: not to be said. */
export function hindranceText({ says, todo }: Hindrance, waiting: number | undefined): string {
  const waits = waiting === undefined ? '' : ` ${counted(waiting, 'payout')} ${waiting === 1 ? 'waits' : 'wait'};`;
  const calm = todo === 'Nothing.' ? 'nothing is lost, nothing to do.' : `nothing is lost. ${todo}`;
  const sentence = waits === '' ? ` ${calm[0]?.toUpperCase()}${calm.slice(1)}` : `${waits} ${calm}`;
  return `${says[0]?.toUpperCase()}${says.slice(1)}.${sentence}`;
}
