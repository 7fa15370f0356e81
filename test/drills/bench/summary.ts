import type { HistoryCounts } from './history-counts.ts';
import { ARMS, type ArmName, type PlaceName } from './options.ts';
import type { Measured } from './rounds.ts';

/** An arm in one place at one time of settlement: medians over its rounds, each of one payout. */
export interface Summary extends Partial<HistoryCounts> {
  place: PlaceName;
  settleMs: number;
  isOtherBank: boolean;
  arm: ArmName;
  rounds: number;
  payouts: number;
  perSecond: Spread;
  /** Its rate in parts of the rate of the textbook, and of empty workflows, in the same rounds. */
  toTextbook?: number;
  toEmpty?: number;
  cpuMs: Measured['cpuMs'];
  bankCalls: number;
  commits: number;
  memoryBytes: Measured['memoryBytes'];
}

interface Spread {
  median: number;
  least: number;
  most: number;
}

/** In the order of places, settlements and arms. */
export function summaries(measured: readonly Measured[]): Summary[] {
  const groups = Map.groupBy(measured, ({ place, settleMs }) => `${place} ${settleMs}`);
  return [...groups.values()].flatMap((group) => {
    const of = (name: ArmName) => group.filter(({ arm }) => arm === name);
    return ARMS.filter((name) => of(name).length > 0).map((name) => summary(of(name), of('textbook'), of('empty')));
  });
}

function summary(own: readonly Measured[], textbook: readonly Measured[], empty: readonly Measured[]): Summary {
  const [first] = own as [Measured];
  const { place, settleMs, isOtherBank, arm, payouts } = first;
  const counted = (of: keyof HistoryCounts) => medianOf(own.map((one) => one[of]));
  const cpuOf = (of: keyof Measured['cpuMs']) => medianOf(own.map(({ cpuMs }) => cpuMs[of]));
  const memoryOf = (of: keyof Measured['memoryBytes']) => medianOf(own.map(({ memoryBytes }) => memoryBytes[of]));
  return {
    ...{ place, settleMs, isOtherBank, arm, payouts },
    rounds: own.length,
    perSecond: spread(own.map(rateOf)),
    toTextbook: ratio(own, textbook),
    toEmpty: ratio(own, empty),
    cpuMs: {
      worker: cpuOf('worker'),
      server: cpuOf('server'),
      database: cpuOf('database'),
      bank: cpuOf('bank'),
      client: cpuOf('client'),
    },
    bankCalls: medianOf(own.map(({ bankCalls }) => bankCalls)) ?? 0,
    commits: medianOf(own.map(({ commits }) => commits)) ?? 0,
    memoryBytes: { worker: memoryOf('worker'), server: memoryOf('server') },
    events: counted('events'),
    transitions: counted('transitions'),
    actions: counted('actions'),
    bytes: counted('bytes'),
  };
}

const rateOf = ({ payouts, seconds }: Measured): number => payouts / seconds;

/** Round by round: both were measured right after each other. */
const ratio = (own: readonly Measured[], other: readonly Measured[]): number | undefined =>
  medianOf(
    own.map((one) => {
      const beside = other.find(({ round }) => round === one.round);
      return beside === undefined ? undefined : rateOf(one) / rateOf(beside);
    }),
  );

function spread(values: readonly number[]): Spread {
  return { median: medianOf(values) ?? 0, least: Math.min(...values), most: Math.max(...values) };
}

/** Of those that are known; undefined when none is. */
export function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [low, high] = [known[(known.length - 1) >> 1], known[known.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** CPU time of what a payout keeps busy on our side: the worker, the Temporal server and the database. */
export const ownCpuMs = ({ cpuMs: { worker = 0, server = 0, database = 0 } }: Pick<Summary, 'cpuMs'>): number =>
  worker + server + database;
