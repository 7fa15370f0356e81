import { z } from 'zod';
import { draw, pick } from '../draw.ts';
import { type FaultEffect, GARBAGE_FORMS } from './faults.ts';

/**
 * A seeded plan (`PUT /__sandbox/fault-plan`): each request of its operations is hit with a probability, by a fault that depends
 * only on (seed, operation, subject, how often this subject was seen). The subject is the reference (for a card payment its
 * merchant_request_id; for a decision that of the order), or else the body without card data; for a read it is the operation. So
 * the same requests get the same faults in any order. In memory.
 */

/** Returns a number in [0, 1) for each question about a request. */
type Draw = (question: string) => number;

interface PlannedKind {
  weight: number;
  /** Its weight for reads; absent: only writes have it. */
  readWeight?: number;
  effect(draw: Draw, times: { lateMs: number; clientLimitMs: number }): FaultEffect;
}

const oneOf = <T>(choices: readonly [T, ...T[]], at: number): T =>
  choices[Math.floor(at * choices.length)] ?? choices[0];

/** Codes that do not tell whether the request was executed. */
const UNSURE_CODES = [2001, 2008, 2011] as const;
const SERVER_ERRORS = [500, 502, 504] as const;
/** How long after its own limit a client has certainly given up. */
const BEYOND_LIMIT_MS = 1_000;

const page =
  (commit: boolean) =>
  (draw: Draw): FaultEffect => ({
    kind: 'http',
    status: oneOf(SERVER_ERRORS, draw('status')),
    commit,
  });
const envelope =
  (commit: boolean) =>
  (draw: Draw): FaultEffect => ({
    kind: 'code',
    code: oneOf(UNSURE_CODES, draw('code')),
    commit,
    httpStatus: oneOf([200, 500], draw('status')),
  });

/** The first four commit but are never answered in time: two fifths of all. Reads commit nothing. */
const KINDS = {
  'drop-after': { weight: 5, effect: () => ({ kind: 'drop-after' }) },
  'delay-after': {
    weight: 1,
    effect: (_draw, { clientLimitMs }) => ({ kind: 'delay-after', ms: clientLimitMs + BEYOND_LIMIT_MS }),
  },
  'late-commit': {
    weight: 4,
    effect: (draw, { lateMs }) => ({ kind: 'late-commit', ms: Math.floor(draw('late') * lateMs), hangUp: true }),
  },
  /** The client gives up at its own limit; the commit follows after that. */
  'late-commit-held': {
    weight: 1,
    effect: (draw, { lateMs, clientLimitMs }) => ({
      kind: 'late-commit',
      ms: clientLimitMs + Math.floor(draw('late') * lateMs),
      hangUp: false,
    }),
  },
  'drop-before': { weight: 2, readWeight: 3, effect: () => ({ kind: 'drop-before' }) },
  'http-after': { weight: 2, effect: page(true) },
  'http-before': { weight: 1, readWeight: 2, effect: page(false) },
  'code-after': { weight: 2, effect: envelope(true) },
  'code-before': { weight: 2, readWeight: 2, effect: envelope(false) },
  'garbage-after': {
    weight: 2,
    readWeight: 2,
    effect: (draw) => ({ kind: 'garbage-after', form: oneOf(GARBAGE_FORMS, draw('form')) }),
  },
  'slow-after': {
    weight: 1,
    effect: (_draw, { clientLimitMs }) => ({ kind: 'slow-after', ms: clientLimitMs + BEYOND_LIMIT_MS }),
  },
  unauthorized: { weight: 1, readWeight: 1, effect: () => ({ kind: 'http', status: 401, commit: false }) },
  throttled: {
    weight: 1,
    readWeight: 1,
    effect: (draw) => ({
      kind: 'http',
      status: oneOf([429, 503], draw('status')),
      commit: false,
      retryAfterSeconds: 1,
    }),
  },
} as const satisfies Record<string, PlannedKind>;

/** POSTs that create or decide something. */
const PLANNED_OPERATIONS: readonly string[] = [
  'beneficiaries.add',
  'transactions.payment',
  'transactions.transfer',
  'transactions.fx',
  'orders.approve',
  'orders.reject',
  'cards.setUp',
  'cards.create',
];

type WriteKind = keyof typeof KINDS;
export const WRITE_KIND_NAMES = Object.keys(KINDS) as [WriteKind, ...WriteKind[]];

const share = z.number().min(0).max(1);

export const faultPlanRequest = z.strictObject({
  seed: z.union([z.int(), z.string()]),
  /** Share of POSTs that are hit. */
  rate: share,
  operations: z
    .array(z.enum(PLANNED_OPERATIONS as [string, ...string[]]))
    .min(1)
    .default([...PLANNED_OPERATIONS]),
  /** Kinds of faults for POSTs; absent: all. */
  kinds: z.array(z.enum(WRITE_KIND_NAMES)).min(1).default(WRITE_KIND_NAMES),
  /** A late commit follows at most this long after the socket was closed, or after the client's limit. */
  lateMs: z.int().min(0).max(3_600_000).default(2_000),
  /** How long the client waits for an answer. */
  clientLimitMs: z.int().min(0).max(600_000).default(30_000),
  /** Share of GETs that are hit. */
  readRate: share.default(0),
});
type FaultPlanRequest = z.infer<typeof faultPlanRequest>;

interface Tally {
  seen: number;
  /** Number of requests hit, by kind. */
  fired: Record<string, number>;
}

export type FaultPlanReport = FaultPlanRequest & { writes: Tally; reads: Tally };

interface PlannedRequest {
  operation: string;
  read: boolean;
  subject: string;
}

interface PlannedFault {
  name: string;
  effect: FaultEffect;
}

export class FaultPlan {
  readonly #plan: FaultPlanRequest;
  readonly #timesSeen = new Map<string, number>();
  readonly #writes: Tally = { seen: 0, fired: {} };
  readonly #reads: Tally = { seen: 0, fired: {} };

  constructor(plan: FaultPlanRequest) {
    this.#plan = plan;
  }

  /** The fault for this request, which is counted; `undefined` for none. */
  faultFor({ operation, read, subject }: PlannedRequest): PlannedFault | undefined {
    const { seed, rate, readRate, operations } = this.#plan;
    if (!read && !operations.includes(operation)) return undefined;
    const tally = read ? this.#reads : this.#writes;
    tally.seen += 1;
    const key = JSON.stringify([operation, subject]);
    const seen = (this.#timesSeen.get(key) ?? 0) + 1;
    this.#timesSeen.set(key, seen);
    const ask: Draw = (question) => draw(seed, operation, subject, seen, question);
    if (ask('hit') >= (read ? readRate : rate)) return undefined;
    const { name, effect } = pick(this.#kinds(read), ask('kind'));
    tally.fired[name] = (tally.fired[name] ?? 0) + 1;
    return { name, effect: effect(ask, this.#plan) };
  }

  report(): FaultPlanReport {
    return structuredClone({ ...this.#plan, writes: this.#writes, reads: this.#reads });
  }

  #kinds(read: boolean): (PlannedKind & { name: string })[] {
    if (!read) return this.#plan.kinds.map((name) => ({ name, ...KINDS[name] }));
    return Object.entries<PlannedKind>(KINDS).flatMap(([name, { readWeight: weight, effect }]) =>
      weight === undefined ? [] : [{ name, weight, effect }],
    );
  }
}
