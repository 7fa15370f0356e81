import { parseArgs } from 'node:util';

export const ARMS = ['raw', 'empty', 'single', 'textbook', 'direct', 'batch', 'dbos'] as const;
export type ArmName = (typeof ARMS)[number];

const PLACES = ['embedded', 'postgres'] as const;
export type PlaceName = (typeof PLACES)[number];

/** Of the workflows that ours are compared with. */
export const BENCH_QUEUE = 'bench';

export interface BenchOptions {
  arms: readonly ArmName[];
  places: readonly PlaceName[];
  /** Milliseconds from an order to its settlement; each is a run of its own. Another bank takes as long as it does. */
  settleMs: readonly number[];
  /** Payouts of an arm in a round: for each settlement, the last one for all that follow. So are the rounds. */
  payouts: readonly number[];
  rounds: readonly number[];
  /** How many are under way at once. */
  atOnce: number;
  /** No round is begun after so many milliseconds; the first is whole, however long it takes. */
  limitMs: number;
  /** Of a PostgreSQL in which databases can be made; undefined: the arms that need one are left out, with a line. */
  postgresUrl: string | undefined;
  /** `host:port` of the Temporal server of the place `postgres`; undefined: a dev server. */
  temporal: string | undefined;
  /** Base URL of a bank to run against; undefined: a sandbox of the bench's own. */
  bank: string | undefined;
  payment: Readonly<Record<'uid' | 'account_id' | 'beneficiary_id' | 'currency', string>>;
  json: string | undefined;
  write: boolean;
}

export const USAGE = `npm run bench -- [options]
  --quick              few payouts, embedded only, settled after 0.1 s; ends within 5 minutes
  --arms LIST          what to measure, of ${ARMS.join(',')}; default: all
  --places LIST        where, of ${PLACES.join(',')}; default: both with --postgres, else embedded
  --settle LIST        seconds from an order to its settlement, each measured separately; default 0.1,30;
                       with --bank, what that bank is expected to take; default 0.1
  --payouts LIST       payouts per arm and round, for each settlement time; default 1000,200, or 24 with --quick
  --at-once N          payouts in progress at the same time; default 50
  --rounds LIST        rounds for each settlement time; default 3,1
  --postgres URL       a PostgreSQL server on which databases may be created
  --temporal HOST:PORT Temporal server of the PostgreSQL runs; default: a dev server
  --bank URL           another bank than the sandbox, with PAYOUTS_API_KEY and PAYOUTS_API_SECRET
  --payment JSON       {"uid","account_id","beneficiary_id","currency"}: paying account and payee at that bank
  --json FILE          write all measurements to FILE
  --write              update the tables and the picture of test/drills/README.md
`;

const PAYMENT = {
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  beneficiary_id: 'ben-u1001-usd-local',
  currency: 'USD',
};

/** Throws for what it does not know. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      arms: { type: 'string' },
      places: { type: 'string' },
      settle: { type: 'string' },
      payouts: { type: 'string' },
      'at-once': { type: 'string', default: '50' },
      rounds: { type: 'string', default: '3,1' },
      postgres: { type: 'string' },
      temporal: { type: 'string' },
      bank: { type: 'string' },
      payment: { type: 'string' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const { quick, postgres, bank } = values;
  const places = quick || postgres === undefined ? 'embedded' : 'embedded,postgres';
  return {
    arms: oneOf('--arms', ARMS, values.arms ?? ARMS.join(',')),
    places: oneOf('--places', PLACES, values.places ?? places),
    settleMs: list(values.settle ?? (quick || bank !== undefined ? '0.1' : '0.1,30')).map(
      (s) => 1_000 * positive('--settle', s),
    ),
    payouts: list(values.payouts ?? (quick ? '24' : '1000,200')).map((count) => whole('--payouts', count)),
    atOnce: whole('--at-once', values['at-once']),
    rounds: list(values.rounds).map((count) => whole('--rounds', count)),
    limitMs: quick ? 150_000 : Number.POSITIVE_INFINITY,
    postgresUrl: postgres,
    temporal: values.temporal,
    bank,
    payment: { ...PAYMENT, ...(JSON.parse(values.payment ?? '{}') as object) },
    json: values.json,
    write: values.write,
  };
}

const list = (text: string): string[] => text.split(',').map((part) => part.trim());

function oneOf<Name extends string>(option: string, known: readonly Name[], text: string): Name[] {
  const unknown = list(text).find((name) => !known.some((other) => other === name));
  if (unknown !== undefined)
    throw new RangeError(`${option}: unknown value ${unknown}; choose from ${known.join(', ')}`);
  return known.filter((name) => list(text).includes(name));
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`${option}: ${text} is not a number above 0`);
  return value;
}

function whole(option: string, text: string): number {
  const value = positive(option, text);
  if (!Number.isInteger(value)) throw new RangeError(`${option}: ${text} is not a whole number`);
  return value;
}
